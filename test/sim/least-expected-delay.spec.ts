import { describe, expect, it } from '@jest/globals';
import { seededRng } from '../../src/kernel/index.js';
import { NodeSpeeds, speedConstants, type SpeedHop, type WatchedCall } from '../../src/node-speeds/index.js';
import { POLICIES, type CandidateState } from '../../src/routing/index.js';
import { SpeedSettings } from '../../src/settings/index.js';
import { aCandidate } from '../support/builders.js';

const MODEL = 'm';
const ASK = { promptTokens: 10, mostOutputTokens: null };
const SETTINGS = { exploreShare: 0.3, weightAlpha: 1, loadHarm: 0.25, controlShare: 0 };
const STEP_SECONDS = 0.5;
/** Streams are looked at every 5 s. */
const LOOK_STEPS = 10;

interface Running {
  readonly watched: WatchedCall;
  readonly node: number;
  tokens: number;
  steps: number;
}

/** Whole-model nodes that share their time among streams of 200 tokens, on a clock of half-second steps. */
class Mesh {
  readonly speeds = new NodeSpeeds(speedConstants(new SpeedSettings()));
  readonly picks: number[] = [];
  now = 0;
  private readonly running: Running[] = [];
  private readonly rng;
  private readonly registered: readonly number[];

  constructor(
    readonly tps: number[],
    seed: number,
  ) {
    this.rng = seededRng(seed);
    this.registered = [...tps];
  }

  ask(): void {
    const { index } = POLICIES['least-expected-delay'].choose(this.candidates(), SETTINGS, this.rng);
    this.picks.push(index);
    const start = { promptTokens: 10, mostOutputTokens: null, isStream: true };
    const watched = this.speeds.begin(MODEL, [this.hop(index)], start, this.now);
    this.running.push({ watched, node: index, tokens: 0, steps: 0 });
  }

  step(): void {
    this.now += STEP_SECONDS;
    for (const call of this.running) {
      const sharing = this.running.filter(({ node }) => node === call.node).length;
      call.tokens += ((this.tps[call.node] ?? 0) * STEP_SECONDS) / sharing;
      call.watched.firstToken(this.now);
      call.steps += 1;
      if (call.steps % LOOK_STEPS === 0) call.watched.look(call.tokens, this.now);
    }
    for (const call of this.running.filter(({ tokens }) => tokens >= 200)) {
      call.watched.finished({ promptTokens: 10, outputTokens: call.tokens }, call.tokens, this.now);
      this.running.splice(this.running.indexOf(call), 1);
    }
  }

  /** So many calls, one every so many seconds; the share that each node got. */
  run(calls: number, seconds: number): number[] {
    const before = this.picks.length;
    for (let call = 0; call < calls; call += 1) {
      this.ask();
      for (let at = 0; at < seconds; at += STEP_SECONDS) this.step();
    }
    const picks = this.picks.slice(before);
    return this.tps.map((_, node) => picks.filter((pick) => pick === node).length / picks.length);
  }

  private hop(node: number): SpeedHop {
    return {
      nodeKey: `n${node}`,
      registeredTps: this.registered[node] ?? null,
      assumedTps: 10,
      layers: 1,
      shardLayers: 1,
    };
  }

  private candidates(): CandidateState[] {
    return this.tps.map((_, node) => {
      const { isIdle, optimisticSeconds, ...rest } = this.speeds.expect(
        MODEL,
        [this.hop(node)],
        ASK,
        this.now,
      );
      const expected = {
        ...rest,
        optimisticSeconds: isIdle ? optimisticSeconds : null,
        inFlight: this.running.filter((call) => call.node === node).length,
      };
      return aCandidate({ signature: `n${node}`, expected });
    });
  }
}

const SEEDS = [1, 2, 3, 4, 5];

describe('under least-expected-delay', () => {
  it.each(SEEDS)('a burst of 40 over two equal nodes gives neither more than 60 % (seed %i)', (seed) => {
    const mesh = new Mesh([20, 20], seed);
    for (let times = 0; times < 40; times += 1) mesh.ask();
    const first = mesh.picks.filter((pick) => pick === 0).length;
    expect(first).toBeGreaterThanOrEqual(16);
    expect(first).toBeLessThanOrEqual(24);
  });

  it.each(SEEDS)('the same burst after hours of calls is shared alike (seed %i)', (seed) => {
    const mesh = new Mesh([20, 20], seed);
    mesh.run(1000, 15);
    const before = mesh.picks.length;
    for (let times = 0; times < 40; times += 1) mesh.ask();
    const first = mesh.picks.slice(before).filter((pick) => pick === 0).length;
    expect(first).toBeGreaterThanOrEqual(16);
    expect(first).toBeLessThanOrEqual(24);
  });

  it.each(SEEDS)('traffic leaves a busy node that slows down, and comes back to it (seed %i)', (seed) => {
    const mesh = new Mesh([20, 20], seed);
    const [before] = mesh.run(150, 8);
    mesh.tps[0] = 2;
    mesh.run(6, 14);
    const [slowed] = mesh.run(60, 14);
    mesh.tps[0] = 20;
    mesh.run(30, 8);
    const [recovered] = mesh.run(150, 8);
    expect(before).toBeGreaterThan(0.25);
    expect(slowed).toBeLessThan(0.15);
    expect(recovered).toBeGreaterThan(0.2);
  });

  it.each(SEEDS)(
    'a recovered node is not starved by slower ones, however few calls there are (seed %i)',
    (seed) => {
      const mesh = new Mesh([20, 12], seed);
      const [before] = mesh.run(100, 20);
      mesh.tps[0] = 2;
      const [slowed] = mesh.run(60, 20);
      mesh.tps[0] = 20;
      mesh.run(90, 20);
      const [recovered] = mesh.run(100, 20);
      expect(before).toBeGreaterThan(0.8);
      expect(slowed).toBeLessThan(0.2);
      expect(recovered).toBeGreaterThan(0.8);
    },
  );

  it.each(SEEDS)('the faster node gets most of what one node can bear (seed %i)', (seed) => {
    const [fast] = new Mesh([40, 10], seed).run(200, 12);
    expect(fast).toBeGreaterThan(0.9);
  });
});
