import type { ErrorAnswer } from '../api/types.js';
import type { SseEvent } from '../api/sse.js';

/** An answer as far as it was read. */
export interface Reading {
  readonly text: string;
  /** What a model thinks before it answers, where it is told apart. */
  readonly reasoning: string;
  readonly promptTokens: number | null;
  /** As the node counted. */
  readonly completionTokens: number | null;
  /** Pieces with text in them, for want of a count. */
  readonly pieces: number;
  readonly finishReason: string | null;
  /** `[DONE]` came, or the answer was no stream and is whole. */
  readonly isDone: boolean;
  /** What a stream that had begun well says of its failure. */
  readonly error: string | null;
}

export const NOTHING_READ: Reading = {
  ...{ text: '', reasoning: '', promptTokens: null, completionTokens: null, pieces: 0 },
  ...{ finishReason: null, isDone: false, error: null },
};

/** As much of OpenAI's chunks and whole answers as is shown. Whatever else is in them is left alone. */
interface Payload {
  readonly choices?: readonly Choice[] | null;
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null;
  readonly error?: ErrorAnswer['error'] | string | null;
}

interface Choice {
  readonly delta?: Spoken | null;
  readonly message?: Spoken | null;
  readonly finish_reason?: string | null;
}

interface Spoken {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly refusal?: unknown;
}

/** The answer with one event more. */
export function withEvent(reading: Reading, { data }: SseEvent): Reading {
  if (data.trim() === '[DONE]') return { ...reading, isDone: true };
  const payload = payloadOf(data);
  return payload === null ? reading : withPayload(reading, payload);
}

/** A whole answer, from a head that would not stream. */
export function wholeReading(text: string): Reading {
  const payload = payloadOf(text);
  if (payload === null) return { ...NOTHING_READ, error: 'The answer is not what OpenAI’s API gives.' };
  return { ...withPayload(NOTHING_READ, payload), isDone: true };
}

function withPayload(reading: Reading, { choices, usage, error }: Payload): Reading {
  const choice = choices?.[0];
  const spoken = choice?.delta ?? choice?.message ?? {};
  const text = textOf(spoken.content) + textOf(spoken.refusal);
  const reasoning = textOf(spoken.reasoning_content) || textOf(spoken.reasoning);
  return {
    text: reading.text + text,
    reasoning: reading.reasoning + reasoning,
    promptTokens: countOf(usage?.prompt_tokens) ?? reading.promptTokens,
    completionTokens: countOf(usage?.completion_tokens) ?? reading.completionTokens,
    pieces: reading.pieces + (text === '' && reasoning === '' ? 0 : 1),
    finishReason: choice?.finish_reason ?? reading.finishReason,
    isDone: reading.isDone,
    error: errorText(error) ?? reading.error,
  };
}

function payloadOf(text: string): Payload | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function errorText(error: Payload['error']): string | null {
  if (error === undefined || error === null) return null;
  const message: unknown = typeof error === 'string' ? error : error.message;
  return typeof message === 'string' && message !== ''
    ? message
    : 'The node says that it failed, and no more.';
}

/** How the answer came out once nothing more comes; null where it is whole. */
export function endFault({ error, isDone, finishReason }: Reading): string | null {
  if (error !== null) return error;
  return isDone || finishReason !== null ? null : 'The answer was cut off before it was whole.';
}
