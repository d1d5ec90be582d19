import { ChunkTemplate } from './chunk-template.js';
import { StreamChoices } from './completion.js';
import { NO_FACTS, readChunk, readErrorField, type ChunkFacts, type Usage } from './completion-usage.js';
import type { InBandError } from './in-band-error.js';
import type { SseEvent } from './sse-framer.js';

/**
 * Listens to a stream and adds up what it says. `usage` is the last value seen, never a sum, since servers repeat
 * it with growing counts; a later usage that lacks a count doesn't erase it.
 *
 * Of a stream whose content chunks differ in nothing but their text, only the first one is parsed, and those that say
 * something else.
 */
export class UsageTap {
  /** What the stream's choices have come to so far. */
  readonly choices = new StreamChoices();
  private lastUsage: Usage | null = null;
  private contentEvents = 0;
  private hasDone = false;
  private hasToolCall = false;
  private error: InBandError | null = null;
  private lastModel: string | null = null;
  private template: ChunkTemplate | null = null;

  take(event: SseEvent): ChunkFacts {
    if (event.kind === 'overflow') this.choices.takeUnread();
    if (event.error !== null) return this.takeError(readErrorField(event.error));
    if (event.data === null) return NO_FACTS;
    if (this.moreContent(event.bytes) > 0) return CONTENT_FACTS;
    const facts = readChunk(event.data, event.event);
    if (event.event === null && isContentAlone(facts)) this.template = ChunkTemplate.of(event.bytes);
    if (facts.usage !== null) this.lastUsage = merged(this.lastUsage, facts.usage);
    if (facts.hasContent) this.contentEvents++;
    this.hasDone ||= facts.done;
    this.hasToolCall ||= facts.hasToolCall;
    this.choices.take(facts.choices);
    this.lastModel = facts.model ?? this.lastModel;
    return this.takeError(facts);
  }

  /** Of how many whole events that differ from an earlier one in their text alone these bytes are made; they are counted then. */
  moreContent(bytes: Buffer): number {
    const events = this.template === null ? 0 : this.template.eventsIn(bytes);
    this.contentEvents += events;
    return events;
  }

  get usage(): Usage | null {
    return this.lastUsage;
  }

  /** How many chunks carried content: the estimate of tokens where no usage came. */
  get contentChunks(): number {
    return this.contentEvents;
  }

  get sawDone(): boolean {
    return this.hasDone;
  }

  /** The model's name as the head gave it last; null where it gave none. */
  get model(): string | null {
    return this.lastModel;
  }

  /** The answer calls a tool: servers may write that all at once at its end. */
  get sawToolCall(): boolean {
    return this.hasToolCall;
  }

  get firstError(): InBandError | null {
    return this.error;
  }

  private takeError(facts: ChunkFacts): ChunkFacts {
    this.error ??= facts.error;
    return facts;
  }
}

/** What an event with content and nothing else says. */
const CONTENT_FACTS: ChunkFacts = Object.freeze({ ...NO_FACTS, hasContent: true, parsed: true });

function isContentAlone({ hasContent, usage, finished, error }: ChunkFacts): boolean {
  return hasContent && usage === null && !finished && error === null;
}

function merged(earlier: Usage | null, later: Usage): Usage {
  return {
    promptTokens: later.promptTokens ?? earlier?.promptTokens ?? null,
    completionTokens: later.completionTokens ?? earlier?.completionTokens ?? null,
  };
}
