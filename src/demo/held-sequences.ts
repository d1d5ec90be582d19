import type { Cancel, Clock } from '../kernel/clock.js';
import { decode } from './layer-codec.js';
import type { ForwardBody, HopCaller } from './hop-caller.js';
import { readRoute, type Route } from './hops.js';
import type { LayerRunner, Stay } from './layer-runner.js';

interface Held {
  readonly stay: Promise<Stay>;
  readonly ends: AbortController;
  cancelIdle: Cancel;
}

/**
 * Sequences that other heads send through this node. Each keeps its slot from its first pass until its head
 * releases it, a pass of it fails or is abandoned, or no pass came for `idleMs`.
 */
export class HeldSequences {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly runner: LayerRunner,
    private readonly caller: HopCaller,
    private readonly clock: Clock,
    private readonly idleMs: number,
  ) {}

  /**
   * One pass: this node's layers, then the hops after it; the last of them decodes.
   *
   * @param left aborts when the caller closes its connection, which ends the sequence here
   */
  async pass(body: ForwardBody, left: AbortSignal): Promise<string> {
    left.throwIfAborted();
    const route = readRoute(body.hops);
    const id = body.sequence_id;
    const held = this.held.get(id) ?? this.hold(id, route);
    const release = () => this.release(id);
    held.cancelIdle();
    left.addEventListener('abort', release, { once: true });
    try {
      const token = await this.run(held, route, body);
      held.cancelIdle = this.clock.after(this.idleMs, release);
      return token;
    } catch (fault) {
      release();
      throw fault;
    } finally {
      left.removeEventListener('abort', release);
    }
  }

  /** Ends a sequence and whatever it is doing here; nothing happens when it isn't here. */
  release(id: string): void {
    const held = this.held.get(id);
    if (held === undefined) return;
    this.held.delete(id);
    held.cancelIdle();
    held.ends.abort(new Error('the sequence was released'));
    held.stay.then(
      (stay) => stay.leave(),
      () => undefined,
    );
  }

  releaseAll(): void {
    for (const id of [...this.held.keys()]) this.release(id);
  }

  private hold(id: string, route: Route): Held {
    const ends = new AbortController();
    const held = { stay: this.runner.admit(route.own, ends.signal), ends, cancelIdle: () => undefined };
    this.held.set(id, held);
    return held;
  }

  private async run(held: Held, route: Route, body: ForwardBody): Promise<string> {
    const stay = await held.stay;
    const { signal } = held.ends;
    const received = Buffer.from(body.state, 'base64');
    const state = await stay.run(
      { state: received, span: route.own, prefillTokens: body.prefill_tokens },
      signal,
    );
    if (route.rest.length === 0) return decode(state);
    return this.caller.forward(route.rest, { ...body, state: state.toString('base64') }, signal);
  }
}
