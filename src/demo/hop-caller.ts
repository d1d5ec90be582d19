import { Agent, request } from 'undici';
import { isRecord, type Hop } from './hops.js';
import { HopFailed, NodeFault } from './node-faults.js';

export const FORWARD_PATH = '/meshnet/v1/forward';
export const SEQUENCES_PATH = '/meshnet/v1/sequences/';

/** Body of `POST /meshnet/v1/forward`: the first of `hops` is the node it goes to. The answer is `{"token"}`. */
export interface ForwardBody {
  readonly sequence_id: string;
  readonly hops: readonly Hop[];
  /** The token state, in base64. */
  readonly state: string;
  /** The prompt's tokens on the first pass of a sequence, else 0. */
  readonly prefill_tokens: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RELEASE_TIMEOUT_MS = 2_000;
/** Shorter than the servers keep an idle connection, so that none is used while it closes. */
const KEEP_ALIVE_MS = 30_000;

/** Calls the next hops of a route, each token over connections that stay open. */
export class HopCaller {
  private readonly agent: Agent;

  constructor(hopTimeoutMs: number) {
    this.agent = new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: hopTimeoutMs,
      bodyTimeout: hopTimeoutMs,
    });
  }

  /**
   * Sends a state on its way over `hops` and brings back the token that the last of them read in it.
   *
   * @throws HopFailed naming the hop at fault: the next one, or the one that this names
   * @throws the signal's reason when that aborts; the next hop notices at once
   */
  async forward(hops: readonly Hop[], pass: Omit<ForwardBody, 'hops'>, signal: AbortSignal): Promise<string> {
    const next = hops[0];
    if (next === undefined) throw new NodeFault(500, 'internal_error', 'There is no hop to call.');
    const { status, body } = await this.call(next, { ...pass, hops }, signal);
    if (status !== 200) throw blame(next, status, body);
    if (!isRecord(body) || typeof body.token !== 'string') throw new HopFailed(next.node_id, 'no token came');
    return body.token;
  }

  /** Tells each of `hops` that the sequence is over. They would find out by themselves, only later. */
  release(hops: readonly Hop[], sequenceId: string): void {
    for (const hop of hops) {
      request(address(hop, SEQUENCES_PATH + sequenceId), {
        dispatcher: this.agent,
        method: 'DELETE',
        signal: AbortSignal.timeout(RELEASE_TIMEOUT_MS),
      }).then(
        (answer) => answer.body.dump(),
        () => undefined,
      );
    }
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  destroy(): void {
    void this.agent.destroy();
  }

  private async call(
    hop: Hop,
    body: ForwardBody,
    signal: AbortSignal,
  ): Promise<{ status: number; body: unknown }> {
    try {
      const answer = await request(address(hop, FORWARD_PATH), {
        dispatcher: this.agent,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      return { status: answer.statusCode, body: JSON.parse(await answer.body.text()) as unknown };
    } catch (fault) {
      signal.throwIfAborted();
      throw new HopFailed(hop.node_id, reasonOf(fault));
    }
  }
}

function address(hop: Hop, path: string): string {
  return hop.endpoint.replace(/\/+$/, '') + path;
}

/** A hop that answers `hop_failed` passes the blame on to the one it names. */
function blame(hop: Hop, status: number, body: unknown): HopFailed {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const message = typeof error.message === 'string' ? error.message : 'no reason given';
  if (error.code === 'hop_failed' && typeof error.node_id === 'string') {
    return new HopFailed(error.node_id, `as ${hop.node_id} says`);
  }
  return new HopFailed(hop.node_id, `it answered ${String(status)}: ${message}`);
}

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.message;
}
