import { OPEN_BRACKET, skipBlanks } from './ascii.js';
import {
  errorOf,
  isJsonObject,
  readInBandError,
  type InBandError,
  type JsonObject,
} from './in-band-error.js';

/** No answer has more tokens; a count beyond is a fault of whoever counted, and taken for none. */
const MOST_TOKENS = 10_000_000;

/** Tokens as the upstream counted them. Only whole numbers from 0 on are taken; NaN, 1e309, -1 and "12" are null. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** What one SSE data payload says. */
export interface ChunkFacts {
  /** It is `[DONE]`. */
  readonly done: boolean;
  readonly usage: Usage | null;
  /** No choices, only usage: the chunk that `include_usage` adds. */
  readonly usageOnly: boolean;
  /** Text, reasoning, a refusal or a part of a tool call; a role or an empty delta is none. */
  readonly hasContent: boolean;
  /** Some choice calls a tool. */
  readonly hasToolCall: boolean;
  /** Some choice says why it ended. */
  readonly finished: boolean;
  readonly error: InBandError | null;
  /** It is JSON. */
  readonly parsed: boolean;
}

/** What a whole JSON answer says. */
export interface AnswerFacts {
  readonly usage: Usage | null;
  readonly error: InBandError | null;
  readonly hasChoices: boolean;
  readonly parsed: boolean;
}

/** Of a comment, of what is no JSON and of what is too long to read. */
export const NO_FACTS: ChunkFacts = Object.freeze({
  done: false,
  usage: null,
  usageOnly: false,
  hasContent: false,
  hasToolCall: false,
  finished: false,
  error: null,
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
    const error = isErrorEvent ? { ...errorOf({}), message: text } : null;
    return { ...NO_FACTS, error, parsed: chunk !== undefined };
  }
  const choices = choicesOf(chunk);
  const usage = readUsage(chunk.usage);
  const error = readInBandError(chunk) ?? (isErrorEvent ? errorOf(chunk) : null);
  return {
    done: false,
    usage,
    usageOnly: usage !== null && error === null && choices?.length === 0,
    hasContent: choices?.some(hasContent) ?? false,
    hasToolCall: choices?.some(hasToolCall) ?? false,
    finished: choices?.some(isFinished) ?? false,
    error,
    parsed: true,
  };
}

/** Reads the body of an answer that is no stream; any bytes are allowed. */
export function readAnswer(body: Buffer): AnswerFacts {
  // Whatever is JSON in UTF-8 is JSON in latin1, of the same shape, and cheaper to make a text of.
  const answer = parse(body.toString('latin1'));
  if (!isJsonObject(answer)) {
    return { usage: null, error: null, hasChoices: false, parsed: false };
  }
  return {
    usage: readUsage(answer.usage),
    error: readInBandError(answer) === null ? null : errorIn(body),
    hasChoices: (choicesOf(answer)?.length ?? 0) > 0,
    parsed: true,
  };
}

/** What it says is to be read as it is written. */
function errorIn(body: Buffer): InBandError | null {
  const answer = parse(body.toString('utf8'));
  return isJsonObject(answer) ? readInBandError(answer) : null;
}

/** @returns undefined if it is no JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some servers write an empty list as null. */
function choicesOf({ choices }: JsonObject): unknown[] | null {
  if (choices === null) return [];
  return Array.isArray(choices) ? choices : null;
}

function readUsage(usage: unknown): Usage | null {
  if (!isJsonObject(usage)) return null;
  return { promptTokens: tokens(usage.prompt_tokens), completionTokens: tokens(usage.completion_tokens) };
}

function tokens(count: unknown): number | null {
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MOST_TOKENS;
  return isCount ? (count as number) : null;
}

/** Some servers send `"finish_reason":""` all along; only a reason is one. */
function isFinished(choice: unknown): boolean {
  return isJsonObject(choice) && isFilled(choice.finish_reason);
}

function hasContent(choice: unknown): boolean {
  if (!isJsonObject(choice)) return false;
  if (isFilled(choice.text)) return true;
  const { delta } = choice;
  if (!isJsonObject(delta)) return false;
  return (
    isFilled(delta.content) ||
    isFilled(delta.reasoning) ||
    isFilled(delta.reasoning_content) ||
    isFilled(delta.refusal) ||
    callsTool(delta)
  );
}

function hasToolCall(choice: unknown): boolean {
  return isJsonObject(choice) && isJsonObject(choice.delta) && callsTool(choice.delta);
}

function callsTool(delta: JsonObject): boolean {
  return (
    isCall(delta.function_call) || (Array.isArray(delta.tool_calls) && delta.tool_calls.some(isToolCall))
  );
}

function isToolCall(call: unknown): boolean {
  return isJsonObject(call) && isCall(call.function);
}

function isCall(call: unknown): boolean {
  return isJsonObject(call) && (isFilled(call.name) || isFilled(call.arguments));
}

/** Text, or the list of parts that some servers send in place of text. */
function isFilled(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}
