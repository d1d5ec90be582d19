import { isFilled, isJsonObject, type JsonObject } from './in-band-error.js';

/**
 * How complete an answer is that carries no error.
 *
 * A whole JSON body, `choices` being its list:
 *
 * | choices                                              | completeness |
 * | ---------------------------------------------------- | ------------ |
 * | missing, empty, or one without `message` and `text`  | `none`       |
 * | one with a bad finish reason (see {@link isBadReason}) | `aborted`  |
 * | all with a reason, one with content                  | `whole`      |
 * | all with a reason, none with content                 | `empty`      |
 * | one without a reason, one with content               | `no_reason`  |
 * | one without a reason, none with content              | `none`       |
 *
 * A stream that has ended, a choice having begun with the first chunk that has its index:
 *
 * | choices                                                        | completeness |
 * | -------------------------------------------------------------- | ------------ |
 * | none has begun; or none has content, and one has no reason     | `none`       |
 * | one ended with a bad reason                                    | `aborted`    |
 * | each that began has a reason, one has content                  | `whole`      |
 * | each that began has a reason, none has content                 | `empty`      |
 * | one that began has no reason, one has content                  | `unfinished` |
 *
 * Engines that ignore `n` begin fewer choices than were asked for, which is no fault. Of a server that never sends
 * finish reasons, an answer with content is `whole` without one.
 *
 * `whole` is a sample of a route's speed. `empty` and `no_reason` reach the client and are no samples. The others are
 * failures.
 */
export type Completeness = 'whole' | 'empty' | 'no_reason' | 'aborted' | 'unfinished' | 'none';

/** Whether a server says why a choice ended, as OpenAI's format has it, or never does. */
export type FinishReasons = 'sent' | 'never';

/** One choice of an answer or of a chunk. */
export interface ChoiceFacts {
  readonly index: number;
  /** It has a message or a text, be it empty. */
  readonly hasMessage: boolean;
  /** Text, reasoning, a refusal, a tool call, audio or images; a role or an empty text is none. */
  readonly hasContent: boolean;
  readonly hasToolCall: boolean;
  /** Why it ended; null while it goes on. */
  readonly reason: string | null;
}

/** Reasons by which engines report that they broke an answer off; any other word ends an answer well. */
const BAD_REASONS: ReadonlySet<string> = new Set([
  'abort',
  'aborted',
  'cancel',
  'canceled',
  'cancelled',
  'error',
  'errored',
  'fail',
  'failed',
  'failure',
  'internal_error',
  'server_error',
  'timeout',
  'timed_out',
]);
/** No engine streams more choices at once; a node that names more is read as if they were one. */
const MOST_CHOICES = 1024;

/** Whether a finish reason says that the engine broke the answer off, whatever its case. */
export function isBadReason(reason: string): boolean {
  return BAD_REASONS.has(reason.trim().toLowerCase());
}

/** Returns the first bad finish reason among choices, or null. */
export function badReasonOf(choices: readonly ChoiceFacts[]): string | null {
  for (const { reason } of choices) if (reason !== null && isBadReason(reason)) return reason;
  return null;
}

/** Returns the choices of an answer or of a chunk; null where it has no list. Some servers write an empty list as null. */
export function readChoices({ choices }: JsonObject): readonly ChoiceFacts[] | null {
  if (choices === null) return NO_CHOICES;
  return Array.isArray(choices) ? (choices as unknown[]).map(readChoice) : null;
}

/** Returns how complete a JSON answer with these choices is. */
export function completenessOf(
  choices: readonly ChoiceFacts[] | null,
  reasons: FinishReasons = 'sent',
): Completeness {
  if (choices === null || choices.length === 0 || choices.some(({ hasMessage }) => !hasMessage))
    return 'none';
  if (badReasonOf(choices) !== null) return 'aborted';
  const hasContent = choices.some((choice) => choice.hasContent);
  const isEnded = reasons === 'never' || choices.every(({ reason }) => reason !== null);
  if (isEnded) return hasContent ? 'whole' : 'empty';
  return hasContent ? 'no_reason' : 'none';
}

/** The choices of a stream as its chunks bring them. */
export class StreamChoices {
  private readonly open = new Set<number>();
  private readonly ended = new Set<number>();
  private hasContent = false;
  private hasUnread = false;
  private bad: string | null = null;

  take(choices: readonly ChoiceFacts[]): void {
    for (const { index, hasContent, reason } of choices) {
      const place = Math.min(index, MOST_CHOICES);
      this.hasContent ||= hasContent;
      if (reason !== null) this.end(place, reason);
      else if (!this.ended.has(place)) this.open.add(place);
    }
  }

  /** An event was too long to be read: it may have held content and reasons. */
  takeUnread(): void {
    this.hasUnread = true;
  }

  /** How many choices have their finish reason. */
  get endedCount(): number {
    return this.ended.size;
  }

  /** Whether any choice has begun, be it with a role alone. */
  get haveBegun(): boolean {
    return this.open.size + this.ended.size > 0 || this.hasUnread;
  }

  /** Whether each choice that has begun has its finish reason. */
  get areEnded(): boolean {
    return this.ended.size > 0 && this.open.size === 0;
  }

  /** The bad reason that some choice ended with, or null. */
  get badReason(): string | null {
    return this.bad;
  }

  /** Returns how complete the stream is if nothing follows. */
  completeness(reasons: FinishReasons): Completeness {
    if (this.bad !== null) return 'aborted';
    const hasContent = this.hasContent || this.hasUnread;
    if (this.areEnded) return hasContent ? 'whole' : 'empty';
    if (!hasContent) return 'none';
    return reasons === 'never' || this.hasUnread ? 'whole' : 'unfinished';
  }

  private end(place: number, reason: string): void {
    this.open.delete(place);
    this.ended.add(place);
    if (isBadReason(reason)) this.bad ??= reason;
  }
}

const NO_CHOICES: readonly ChoiceFacts[] = [];

function readChoice(choice: unknown, place: number): ChoiceFacts {
  if (!isJsonObject(choice)) {
    return { index: place, hasMessage: false, hasContent: false, hasToolCall: false, reason: null };
  }
  const { text, message, delta } = choice;
  const said = [delta, message].filter(isJsonObject);
  return {
    index: indexOf(choice, place),
    hasMessage: isJsonObject(message) || typeof text === 'string' || isFilled(text),
    hasContent: isFilled(text) || said.some(hasContent),
    hasToolCall: said.some(callsTool),
    reason: reasonOf(choice.finish_reason),
  };
}

function indexOf({ index }: JsonObject, place: number): number {
  return Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : place;
}

/** Some servers send `"finish_reason":""` all along; an object or a number is a reason of a server's own. */
function reasonOf(reason: unknown): string | null {
  if (typeof reason === 'string') return reason.trim() === '' ? null : reason;
  if (isJsonObject(reason) && typeof reason.type === 'string') return reasonOf(reason.type);
  return reason === undefined || reason === null || reason === false ? null : printed(reason);
}

/** Printing is recursive: what is nested too deeply for that is a reason all the same. */
function printed(reason: unknown): string {
  try {
    return JSON.stringify(reason);
  } catch {
    return 'nested too deeply';
  }
}

function hasContent(said: JsonObject): boolean {
  return (
    isText(said.content) ||
    isText(said.reasoning) ||
    isText(said.reasoning_content) ||
    isFilled(said.reasoning_details) ||
    isText(said.refusal) ||
    isFilled(said.images) ||
    hasAudio(said.audio) ||
    callsTool(said)
  );
}

/** Text, or a list of parts with at least one that is not an empty text. */
function isText(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'string' && value !== '';
  return (value as unknown[]).some((part) =>
    isJsonObject(part) ? (part.text ?? null) === null || part.text !== '' : part !== '',
  );
}

function hasAudio(audio: unknown): boolean {
  return isJsonObject(audio) && (isFilled(audio.data) || isFilled(audio.transcript) || isFilled(audio.id));
}

function callsTool(said: JsonObject): boolean {
  return isCall(said.function_call) || (Array.isArray(said.tool_calls) && said.tool_calls.some(isToolCall));
}

/** A tool of a kind of its own has a member named after its kind: `{"type":"custom","custom":{…}}`. */
function isToolCall(call: unknown): boolean {
  return isJsonObject(call) && (isCall(call.function) || isCall(call.custom));
}

function isCall(call: unknown): boolean {
  return isJsonObject(call) && (isFilled(call.name) || isFilled(call.arguments) || isFilled(call.input));
}
