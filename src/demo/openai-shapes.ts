import { randomUUID } from 'node:crypto';
import type { AnswerKind } from './chat-request.js';

/** What every chunk of one answer repeats. `created` is Unix time in seconds. */
export interface AnswerFrame {
  readonly kind: AnswerKind;
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Every chunk then carries `usage`, null until the last. */
  readonly withUsage: boolean;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export function newFrame(kind: AnswerKind, model: string, wallMs: number, withUsage: boolean): AnswerFrame {
  const id = `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`;
  return { kind, id, created: Math.floor(wallMs / 1000), model, withUsage };
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** A whole answer, as it goes out without `stream`. */
export function wholeAnswer(frame: AnswerFrame, text: string, finishReason: string, usage: Usage): object {
  const choice =
    frame.kind === 'chat'
      ? { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null }
      : { text, index: 0, logprobs: null };
  const object = frame.kind === 'chat' ? 'chat.completion' : 'text_completion';
  return { ...head(frame, object), choices: [{ ...choice, finish_reason: finishReason }], usage };
}

/** The chunk that opens a streamed chat; a text completion has none. */
export function roleChunk(frame: AnswerFrame): object {
  return chunk(frame, [choiceOf({ role: 'assistant', content: '' }, null)]);
}

export function tokenChunk(frame: AnswerFrame, token: string): object {
  return chunk(frame, [frame.kind === 'chat' ? choiceOf({ content: token }, null) : textChoice(token, null)]);
}

export function finishChunk(frame: AnswerFrame, finishReason: string): object {
  return chunk(frame, [frame.kind === 'chat' ? choiceOf({}, finishReason) : textChoice('', finishReason)]);
}

export function usageChunk(frame: AnswerFrame, usage: Usage): object {
  return { ...chunk(frame, []), usage };
}

function choiceOf(delta: object, finishReason: string | null): object {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

function textChoice(text: string, finishReason: string | null): object {
  return { text, index: 0, logprobs: null, finish_reason: finishReason };
}

function chunk(frame: AnswerFrame, choices: object[]): object {
  const object = frame.kind === 'chat' ? 'chat.completion.chunk' : 'text_completion';
  return { ...head(frame, object), choices, ...(frame.withUsage ? { usage: null } : {}) };
}

function head({ id, created, model }: AnswerFrame, object: string): object {
  return { id, object, created, model };
}
