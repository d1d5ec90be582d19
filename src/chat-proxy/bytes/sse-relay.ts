import { NO_FACTS, type ChunkFacts } from './completion-usage.js';
import { MAX_EVENT_BYTES, SseFramer, type SseEvent } from './sse-framer.js';
import { UsageTap } from './usage-tap.js';
import { withoutUsage } from './without-usage.js';

/**
 * - `data`: bytes that complete a data event; empty for a usage chunk that is left out, shorter where usage alone is.
 * - `done`: bytes that complete the `[DONE]` event.
 * - `comment`: bytes that complete an event without data (comments, stray blank lines), or that follow the event before
 *   (a late LF). It proves that the head lives, not that it answers.
 * - `partial`: bytes of an event that isn't complete yet, or at the end never will be.
 * - `overflow`: bytes of an event too long to be read. Such an event is an answer: it counts like `data`.
 */
export type PieceKind = 'data' | 'done' | 'comment' | 'partial' | 'overflow';

export interface RelayPiece {
  readonly kind: PieceKind;
  /** What the client gets; may be empty. */
  readonly bytes: Buffer;
  /** What the event says that these bytes complete; see `error` whatever the kind. */
  readonly facts: ChunkFacts;
}

export interface SseRelaySettings {
  /** The client didn't ask for the usage chunk, so it mustn't see it. */
  readonly stripUsage: boolean;
  /** The tracker asked for usage, so what is not content loses its `usage`, and all else stays. */
  readonly isUsageOurs?: boolean;
  /** Longest event that is held and read. */
  readonly maxEventBytes?: number;
}

/**
 * What of a head's SSE stream goes to the client, and what it says on the way: `tap` adds that up.
 *
 * Without `stripUsage` the pieces are exactly the head's bytes, each in the feed that brought it. With it, events
 * come out when complete, and one that holds nothing but usage is left out with its blank line. Where the tracker asked
 * for the usage, any other event without content and finish reason loses its `usage` alone. All other bytes pass as they came. How the head's bytes were
 * cut changes neither the bytes that come out nor what the tap reads.
 *
 * A caller that commits on the first data event and settles before the last byte:
 *
 * ```ts
 * const relay = new SseRelay({ stripUsage: !clientAskedForUsage });
 * const heldBack: Buffer[] = [];
 * const pass = (pieces: RelayPiece[]): void => {
 *   for (const { kind, bytes, facts } of pieces) {
 *     if (facts.error !== null && !committed) throw refused(facts.error); // nothing was sent: another route may try
 *     if (kind === 'done') settle(relay.tap); // before the client can see that it is over
 *     heldBack.push(bytes);
 *     if (kind === 'data' || kind === 'done' || kind === 'overflow') commit(); // 200 and headers, once
 *     if (committed) for (const part of heldBack.splice(0)) response.write(part);
 *   }
 * };
 * for await (const chunk of head) pass(relay.feed(chunk));
 * pass(relay.end()); // then relay.tap.choices tells whether the stream is whole
 * ```
 *
 * A new head gets a new relay. A caller that adds bytes of its own (a ping, an error event) does so only while
 * `midEvent` is false. So that this is always so, hold `partial` pieces back as well until what completes them comes,
 * and drop them if the head is cut off.
 */
export class SseRelay {
  readonly tap = new UsageTap();
  private readonly framer: SseFramer;
  private readonly stripUsage: boolean;
  private readonly isUsageOurs: boolean;
  /** How many bytes of the framer's unfinished event are already out. */
  private partOut = 0;
  private leftOut = false;
  private isMidEvent = false;

  constructor({ stripUsage, isUsageOurs = false, maxEventBytes = MAX_EVENT_BYTES }: SseRelaySettings) {
    this.stripUsage = stripUsage;
    this.isUsageOurs = stripUsage && isUsageOurs;
    this.framer = new SseFramer(maxEventBytes);
  }

  /**
   * How many events `chunk` is, if it is nothing but whole events that each bring more content, and the last one was whole; 0:
   * it has to be fed. Otherwise it is counted, goes to the client as it is, and must not be fed: nearly all of a stream is
   * such, and costs neither cuts nor objects so.
   */
  contentIn(chunk: Buffer): number {
    if (!this.framer.isBetweenEvents(chunk.length)) return 0;
    const events = this.tap.moreContent(chunk);
    if (events > 0) this.leftOut = false;
    return events;
  }

  /** The pieces that `chunk` releases, in order. They may be views of it: it is the relay's from now on. */
  feed(chunk: Buffer): RelayPiece[] {
    const pieces: RelayPiece[] = [];
    let unfinished = this.partOut + chunk.length;
    for (const event of this.framer.feed(chunk)) {
      unfinished -= event.bytes.length;
      pieces.push(this.pieceOf(event));
    }
    if (this.stripUsage) {
      this.isMidEvent = this.framer.midOverflow;
      return pieces;
    }
    const fresh = Math.min(unfinished, chunk.length);
    if (fresh > 0) {
      pieces.push({ kind: 'partial', bytes: chunk.subarray(chunk.length - fresh), facts: NO_FACTS });
    }
    this.partOut = unfinished;
    this.isMidEvent = this.framer.midEvent;
    return pieces;
  }

  /** What is left when the head's stream has ended: at most one piece, `done` or `partial`, perhaps without bytes. */
  end(): RelayPiece[] {
    const rest = this.framer.end();
    if (rest === null) return [];
    const piece = this.pieceOf(rest);
    this.isMidEvent ||= piece.bytes.length > 0;
    return [piece];
  }

  /** The bytes handed out so far end within an event: whatever is written now would become part of it. */
  get midEvent(): boolean {
    return this.isMidEvent;
  }

  /** The bytes handed out so far end within an event that is too long to be held. */
  get midOverflow(): boolean {
    return this.framer.midOverflow;
  }

  private pieceOf(event: SseEvent): RelayPiece {
    const facts = this.tap.take(event);
    const kept = this.keptOf(event, facts);
    if (event.kind !== 'tail') this.leftOut = kept.length === 0;
    const bytes = kept.subarray(this.leftOut ? kept.length : this.partOut);
    this.partOut = 0;
    return { kind: kindOf(event, facts), bytes, facts };
  }

  /**
   * Without the usage that the client did not ask for; nothing is out yet of an event that may lose it. Beside content or
   * a finish reason, usage is what some engines send unasked.
   */
  private keptOf(event: SseEvent, facts: ChunkFacts): Buffer {
    if (!this.stripUsage || facts.usage === null || facts.hasContent || facts.finished) return event.bytes;
    const kept = withoutUsage(event);
    return kept.length === 0 || this.isUsageOurs ? kept : event.bytes;
  }
}

function kindOf(event: SseEvent, facts: ChunkFacts): PieceKind {
  if (facts.done) return 'done';
  if (event.kind === 'overflow') return 'overflow';
  if (event.kind === 'rest') return 'partial';
  return event.data === null ? 'comment' : 'data';
}
