import { companyOf } from './company.js';
import { ChunkScale } from './chunk-scale.js';
import { age, newBelief, shiftPrior } from './node-belief.js';
import { expectedDelay, type CallWork, type ExpectedDelay, type HopLoad } from './route-delay.js';
import { SizeHistogram } from './size-histogram.js';
import type { SpeedConstants } from './speed-constants.js';
import { loadOf, type NodeState, type SpeedHop } from './node-state.js';
import { WatchedCall, type CallStart, type SpeedSource } from './watched-call.js';

/** What is asked for, as far as it is known when a route is chosen. */
export interface CallAsk {
  readonly promptTokens: number;
  /** The client's max_tokens, or null. */
  readonly mostOutputTokens: number | null;
}

/** A node's speed as it is believed to be. */
export interface SpeedBelief {
  /** Its seconds a token over what it registered, with nobody else there: 2 is half as fast. */
  readonly secondsFactor: number;
  /** How far that is known, as a standard deviation of its logarithm. */
  readonly sigma: number;
}

interface ModelSpeeds {
  readonly nodes: Map<string, NodeState>;
  readonly promptSizes: SizeHistogram;
  readonly outputSizes: SizeHistogram;
}

/** A node that nobody has heard of for so long is forgotten. */
const KEPT_SECONDS = 24 * 3600;
const PRUNE_EVERY_SECONDS = 600;
/** So many nodes are kept a model; the longest unseen go first. */
const MOST_NODES = 20_000;
const GUESS: CallWork = { promptTokens: 500, outputTokens: 200 };

/** What is believed of the speeds of all nodes, per model. Times are seconds on one clock. */
export class NodeSpeeds implements SpeedSource {
  private readonly models = new Map<string, ModelSpeeds>();
  private prunedAt = -Infinity;

  constructor(readonly constants: SpeedConstants) {}

  /** What a call would take on a route, as things stand. */
  expect(model: string, hops: readonly SpeedHop[], ask: CallAsk, now: number): ExpectedDelay {
    const usual = this.usual(model, now);
    const loads = hops.map((hop): HopLoad => {
      const state = this.stateOf(model, hop, now);
      const company = companyOf(state.headcount);
      return loadOf(state, hop, { ...company, others: Math.max(company.others, hop.inFlight ?? 0) });
    });
    return expectedDelay(loads, this.workOf(model, ask, now), usual, this.constants);
  }

  /** Counts a call in on the nodes of the route it was given to. Its end must be told. */
  begin(model: string, hops: readonly SpeedHop[], start: CallStart, now: number): WatchedCall {
    if (now - this.prunedAt >= PRUNE_EVERY_SECONDS) this.prune(now);
    return new WatchedCall(this, model, hops, start, now);
  }

  /** The call's size, its output guessed by what the model's answers were like lately. */
  workOf(model: string, ask: CallAsk, now: number): CallWork {
    const usual = this.usual(model, now);
    const most = ask.mostOutputTokens ?? Infinity;
    return {
      promptTokens: Math.max(0, ask.promptTokens),
      outputTokens: Math.max(1, Math.min(usual.outputTokens, most)),
    };
  }

  /** A call of the model as they usually are. */
  usual(model: string, now: number): CallWork {
    const { promptSizes, outputSizes } = this.modelOf(model, now);
    const share = this.constants.sizeQuantile;
    return { promptTokens: promptSizes.quantile(share), outputTokens: outputSizes.quantile(share) };
  }

  sized(model: string, work: CallWork, now: number): void {
    const { promptSizes, outputSizes } = this.modelOf(model, now);
    promptSizes.add(work.promptTokens, now);
    outputSizes.add(work.outputTokens, now);
  }

  /** A node's state, its belief aged to now. */
  stateOf(model: string, hop: SpeedHop, now: number): NodeState {
    const { nodes } = this.modelOf(model, now);
    let state = nodes.get(hop.nodeKey);
    if (state === undefined) {
      state = this.newState(hop, now);
      nodes.set(hop.nodeKey, state);
      if (nodes.size > MOST_NODES) dropOldest(nodes);
    }
    age(state.belief, now, this.constants);
    this.followRegistration(state, hop);
    return state;
  }

  /** What is believed of one node at rest; null of one that no call went to. */
  beliefOf(model: string, nodeKey: string, now: number): SpeedBelief | null {
    const state = this.models.get(model)?.nodes.get(nodeKey);
    if (state === undefined) return null;
    age(state.belief, now, this.constants);
    const { idleFactor, biasVariance, driftVariance } = state.belief;
    return { secondsFactor: idleFactor, sigma: Math.sqrt(biasVariance + driftVariance) };
  }

  forget(model: string): void {
    this.models.delete(model);
  }

  /** Drops nodes unheard of for a day; those with calls under way stay. */
  prune(now: number): void {
    this.prunedAt = now;
    for (const { nodes } of this.models.values()) {
      for (const [key, { belief, headcount }] of nodes) {
        if (headcount.calls === 0 && now - belief.at >= KEPT_SECONDS) nodes.delete(key);
      }
    }
  }

  private modelOf(model: string, now: number): ModelSpeeds {
    let speeds = this.models.get(model);
    if (speeds === undefined) {
      speeds = {
        nodes: new Map(),
        promptSizes: new SizeHistogram(GUESS.promptTokens, now),
        outputSizes: new SizeHistogram(GUESS.outputTokens, now),
      };
      this.models.set(model, speeds);
    }
    return speeds;
  }

  private newState({ registeredTps, assumedTps }: SpeedHop, now: number): NodeState {
    return {
      belief: newBelief(registeredTps !== null, now, this.constants),
      headcount: { calls: 0, streams: 0, running: 0 },
      chunkScale: new ChunkScale(),
      baseTps: registeredTps ?? assumedTps,
    };
  }

  /** A node that registers another speed is what it was for now, and tends to what it says from now on. */
  private followRegistration(state: NodeState, { registeredTps }: SpeedHop): void {
    const isRegistered = registeredTps !== null;
    const tps = registeredTps ?? state.baseTps;
    if (tps === state.baseTps && isRegistered === state.belief.isRegistered) return;
    shiftPrior(state.belief, Math.log(tps / state.baseTps), isRegistered);
    state.baseTps = tps;
  }
}

function dropOldest(nodes: Map<string, NodeState>): void {
  let [oldest, at] = ['', Infinity];
  for (const [key, { belief, headcount }] of nodes) {
    if (headcount.calls === 0 && belief.at < at) [oldest, at] = [key, belief.at];
  }
  nodes.delete(oldest);
}
