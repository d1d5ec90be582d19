import type { Rostered } from '../../kernel/index.js';
import type { CallWork, WatchedCall } from '../../node-speeds/index.js';
import type { AttemptEnd } from '../relay/attempt-end.js';

/** An attempt under way, as far as its speed is told by it. */
export interface Underway {
  readonly contentChunks: number;
  readonly sawToolCall: boolean;
  /** By the client's reading, so far. */
  readonly heldUpMs: number;
}

/** What an attempt is told from when it is over. */
export type WatchEnd = Pick<AttemptEnd, 'outcome' | 'usage' | 'contentChunks' | 'heldUpMs' | 'elapsedMs'>;

const LOOK_EVERY_MS = 5000;
/** More of the time than this was the client's: it says nothing of the nodes. */
const HELD_UP_SHARE = 0.1;

/**
 * Tells what is learned of nodes how an attempt goes: when its first token came, each 5 s how far it is, and its end. A
 * failure says nothing; nor does what a client held up, or a stream's pace once it calls a tool.
 */
export class AttemptWatch implements Rostered {
  place = -1;
  private underway: Underway | null = null;
  private hasContent = false;
  private lookedAt: number;
  private heldUpMs = 0;

  /**
   * @param isStream as it was asked for
   * @param startedAt monotonic ms
   * @param promptTokens as they were guessed
   * @param onOver it is over; called once or more
   */
  constructor(
    private readonly call: WatchedCall,
    private readonly start: { readonly isStream: boolean; readonly promptTokens: number },
    startedAt: number,
    private readonly now: () => number,
    private readonly onOver: (watch: AttemptWatch) => void,
  ) {
    this.lookedAt = startedAt;
  }

  /** The request that is sent for the attempt; another one may follow. */
  follow(underway: Underway): void {
    this.underway = underway;
  }

  heardContent(now: number): void {
    if (this.hasContent) return;
    this.hasContent = true;
    // Its first chunk may have waited for the whole call to be written.
    if (this.underway?.sawToolCall === true) this.call.toolCallBegan();
    else this.call.firstToken(now / 1000);
  }

  /** To be called often; every 5 s it does something. */
  look(now: number): void {
    const passedMs = now - this.lookedAt;
    if (passedMs < LOOK_EVERY_MS) return;
    const { contentChunks = 0, sawToolCall = false, heldUpMs = 0 } = this.underway ?? {};
    const isHeldUp = heldUpMs - this.heldUpMs > passedMs * HELD_UP_SHARE;
    // Once held up, its pace is the client's: bytes are on their way that the node wrote long ago.
    if (sawToolCall || isHeldUp) this.call.toolCallBegan();
    this.lookedAt = now;
    this.heldUpMs = heldUpMs;
    this.call.look(contentChunks, now / 1000);
  }

  /** @param tellsNothing the answer had no content, or was another model's */
  settle(end: WatchEnd, tellsNothing = false): void {
    if (end.outcome === 'completed' && !tellsNothing) {
      this.call.finished(this.workOf(end), end.contentChunks, this.now() / 1000);
    } else this.call.ended();
    this.onOver(this);
  }

  abandon(): void {
    this.call.ended();
    this.onOver(this);
  }

  /** As the head counted; null where the whole answer is no measurement. */
  private workOf({ usage, heldUpMs, elapsedMs }: WatchEnd): CallWork | null {
    const outputTokens = usage?.completionTokens ?? 0;
    const isHeldUp = !this.start.isStream && heldUpMs > elapsedMs * HELD_UP_SHARE;
    if (outputTokens <= 0 || isHeldUp) return null;
    return { promptTokens: usage?.promptTokens ?? this.start.promptTokens, outputTokens };
  }
}
