import { COMPLETED, verdict, type AttemptEnd } from '../../src/chat-proxy/relay/attempt-end.js';
import { TurnsService, type Turn } from '../../src/chat-proxy/turns.service.js';
import type { MeshNode } from '../../src/registry/index.js';
import { CallSettings } from '../../src/settings/index.js';
import { MODEL } from './builders.js';
import { learningIn } from './learning-rooms.js';
import { Rooms, type RoomOptions } from './rooms.js';

/** What a simulated call is. */
export interface TimedCall {
  readonly promptTokens?: number;
  readonly outputTokens?: number;
  readonly isStream?: boolean;
  readonly pin?: readonly string[];
}

const PREFILL_RATIO = 0.1;

/** Rooms whose nodes take the time that the test says, for calls as the proxy runs them: turn, ticket, watch, settlement. */
export class TimedCalls {
  readonly rooms: Rooms;
  readonly turns: TurnsService;
  /** True seconds a token of each node, by wallet. */
  readonly secondsPerToken: Record<string, number> = {};
  private readonly fails = new Set<string>();

  constructor(options: RoomOptions = {}) {
    this.rooms = new Rooms({
      nodes: { leaseSeconds: 1e8 },
      ...options,
      routing: { policy: 'least-expected-delay', ...options.routing },
    });
    const { clock, bus, admission } = this.rooms;
    this.turns = new TurnsService(new CallSettings(), clock, learningIn(this.rooms), admission, bus);
  }

  /** A call is given to a route, and settles by itself as time goes by. @returns the wallet of its head */
  send(call: TimedCall = {}): string {
    const { promptTokens = 100, isStream = true, pin = null } = call;
    const ask = { promptTokens, mostOutputTokens: null, isStream };
    const decide = (): ReturnType<Rooms['routing']['decide']> => this.rooms.routing.decide(MODEL, pin, ask);
    const turn = this.turns.take({ model: MODEL, isPlain: pin === null, decide });
    if (turn === null || turn === 'full') throw new Error('no turn');
    const { mode, signature, probability } = turn.decision;
    this.rooms.bus.publish('route.selected', {
      ...{ request_id: 'r', model: MODEL, routing: { mode, signature, probability }, attempt: 1, at: 0 },
    });
    const head = headOf(turn);
    if (this.fails.has(head.wallet)) turn.open.settle(this.end(verdict('failed'), 0, 0, 1));
    else this.run(turn, { promptTokens, isStream, outputTokens: call.outputTokens ?? 200 });
    return head.wallet;
  }

  /** From now on, or no longer, each call that the node gets fails. */
  failing(wallet: string, isFailing: boolean): void {
    if (isFailing) this.fails.add(wallet);
    else this.fails.delete(wallet);
  }

  /** Calls one after the other, each sent when the one before is over. @returns wallets of their heads */
  sequence(times: number, call: TimedCall = {}): string[] {
    return Array.from({ length: times }, () => {
      const wallet = this.send(call);
      this.untilIdle();
      return wallet;
    });
  }

  untilIdle(): void {
    while (this.rooms.health.inFlight > 0) this.rooms.clock.advance(500);
  }

  private run(turn: Turn, call: Required<Omit<TimedCall, 'pin'>>): void {
    const { clock } = this.rooms;
    const startedAt = clock.now();
    const perToken = turn.decision.route.hops.reduce(
      (sum, { node }) => sum + (this.secondsPerToken[node.wallet] ?? 0.1),
      0,
    );
    const firstMs = 1000 * perToken * (1 + call.promptTokens * PREFILL_RATIO);
    const wholeMs = firstMs + 1000 * perToken * call.outputTokens;
    const chunks = (): number =>
      Math.min(call.outputTokens, Math.max(0, clock.now() - startedAt - firstMs) / (1000 * perToken));
    if (call.isStream) {
      turn.open.watch?.follow({
        get contentChunks() {
          return Math.floor(chunks());
        },
        sawToolCall: false,
        heldUpMs: 0,
      });
      clock.after(firstMs, () => turn.open.watch?.heardContent(clock.now()));
    }
    clock.after(wholeMs, () => {
      turn.open.settle(this.end(COMPLETED, call.promptTokens, call.outputTokens, wholeMs));
    });
  }

  private end(
    ending: typeof COMPLETED,
    promptTokens: number,
    completionTokens: number,
    elapsedMs: number,
  ): AttemptEnd {
    return {
      ...ending,
      usage: { promptTokens, completionTokens },
      contentChunks: completionTokens,
      model: null,
      completeness: 'whole',
      ...{ headStatus: 200, isBroken: false, isCommitted: true, elapsedMs, heldUpMs: 0 },
    };
  }
}

function headOf({ decision }: Turn): MeshNode {
  const [hop] = decision.route.hops;
  if (hop === undefined) throw new Error('a route has at least one hop');
  return hop.node;
}
