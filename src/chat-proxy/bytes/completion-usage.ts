import { OPEN_BRACKET, skipBlanks } from './ascii.js';
import { readChoices, type ChoiceFacts } from './completion.js';
import { errorOfText, findError, isJsonObject, type InBandError } from './in-band-error.js';

/** No answer has more tokens; a larger count is an error of the server and read as none. */
const MOST_TOKENS = 10_000_000;

/** Tokens as the upstream counted them. Only whole numbers from 0 on are taken; NaN, 1e309, -1 and "12" are null. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** What one SSE event says. */
export interface ChunkFacts {
  /** It is `[DONE]`. */
  readonly done: boolean;
  readonly usage: Usage | null;
  /** No choices, only usage: the chunk that `include_usage` adds. */
  readonly usageOnly: boolean;
  /** Text, reasoning, a refusal, audio or a part of a tool call; a role or an empty delta is none. */
  readonly hasContent: boolean;
  /** Some choice calls a tool. */
  readonly hasToolCall: boolean;
  /** Some choice says why it ended. */
  readonly finished: boolean;
  readonly choices: readonly ChoiceFacts[];
  readonly error: InBandError | null;
  /** The error stands where OpenAI's clients do not look for one. */
  readonly isErrorHidden: boolean;
  /** The model's name as the head gives it. */
  readonly model: string | null;
  /** It is JSON. */
  readonly parsed: boolean;
}

/** What a whole JSON answer says. */
export interface AnswerFacts {
  readonly usage: Usage | null;
  readonly error: InBandError | null;
  /** The error stands where OpenAI's clients do not look for one. */
  readonly isErrorHidden: boolean;
  /** null: it has no list of choices. */
  readonly choices: readonly ChoiceFacts[] | null;
  readonly model: string | null;
  /** It is a JSON object. */
  readonly parsed: boolean;
}

const NO_CHOICES: readonly ChoiceFacts[] = [];

/** Of a comment, of what is no JSON and of what is too long to read. */
export const NO_FACTS: ChunkFacts = Object.freeze({
  done: false,
  usage: null,
  usageOnly: false,
  hasContent: false,
  hasToolCall: false,
  finished: false,
  choices: NO_CHOICES,
  error: null,
  isErrorHidden: false,
  model: null,
  parsed: false,
});
const DONE_FACTS: ChunkFacts = Object.freeze({ ...NO_FACTS, done: true });

/**
 * Reads one SSE data payload; any bytes are allowed.
 *
 * @param eventName the event's name: clients take an event named `error` for one, whatever its payload looks like
 */
export function readChunk(payload: Buffer, eventName: string | null = null): ChunkFacts {
  const text = payload.toString('utf8');
  if (payload[skipBlanks(payload, 0)] === OPEN_BRACKET && text.trim() === '[DONE]') return DONE_FACTS;
  const isErrorEvent = eventName === 'error';
  const chunk = parse(text);
  if (!isJsonObject(chunk)) {
    const error = isErrorEvent ? errorOfText(text, chunk) : null;
    return { ...NO_FACTS, error, parsed: chunk !== undefined };
  }
  const choices = readChoices(chunk);
  const usage = readUsage(chunk.usage);
  const found = findError(chunk, (choices?.length ?? 0) > 0);
  const error = found?.error ?? (isErrorEvent ? errorOfText(text, chunk) : null);
  return {
    done: false,
    usage,
    usageOnly: usage !== null && error === null && choices?.length === 0,
    hasContent: choices?.some((choice) => choice.hasContent) ?? false,
    hasToolCall: choices?.some((choice) => choice.hasToolCall) ?? false,
    finished: choices?.some(({ reason }) => reason !== null) ?? false,
    choices: choices ?? NO_CHOICES,
    error,
    isErrorHidden: !isErrorEvent && found?.isHidden === true,
    model: nameOf(chunk.model),
    parsed: true,
  };
}

/** Reads the SSE field `error:`, which some builds of llama.cpp write in place of `data:`. Clients pass over it. */
export function readErrorField(text: string): ChunkFacts {
  return { ...NO_FACTS, error: errorOfText(text, parse(text)), isErrorHidden: true };
}

const NO_ANSWER: AnswerFacts = {
  usage: null,
  error: null,
  isErrorHidden: false,
  choices: null,
  model: null,
  parsed: false,
};

/** Reads the body of an answer that is no stream; any bytes are allowed. */
export function readAnswer(body: Buffer): AnswerFacts {
  // Whatever is JSON in UTF-8 is JSON in latin1, of the same shape, and cheaper to make a text of.
  const answer = parse(body.toString('latin1'));
  if (!isJsonObject(answer)) return NO_ANSWER;
  const choices = readChoices(answer);
  const hasChoices = (choices?.length ?? 0) > 0;
  const found = findError(answer, hasChoices);
  return {
    usage: readUsage(answer.usage),
    error: found === null ? null : errorIn(body, hasChoices),
    isErrorHidden: found?.isHidden === true,
    choices,
    model: inUtf8(nameOf(answer.model)),
    parsed: true,
  };
}

/** Of a text that was read with each byte as one character. */
function inUtf8(text: string | null): string | null {
  return text === null ? null : Buffer.from(text, 'latin1').toString('utf8');
}

/** An error's text is shown to people, so its characters are read as UTF-8. */
function errorIn(body: Buffer, hasChoices: boolean): InBandError | null {
  const answer = parse(body.toString('utf8'));
  return isJsonObject(answer) ? (findError(answer, hasChoices)?.error ?? null) : null;
}

/** Returns undefined for text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameOf(model: unknown): string | null {
  return typeof model === 'string' && model !== '' ? model : null;
}

function readUsage(usage: unknown): Usage | null {
  if (!isJsonObject(usage)) return null;
  return { promptTokens: tokens(usage.prompt_tokens), completionTokens: tokens(usage.completion_tokens) };
}

function tokens(count: unknown): number | null {
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MOST_TOKENS;
  return isCount ? (count as number) : null;
}
