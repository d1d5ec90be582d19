import { DEFAULT_MAX_TOKENS, promptOf, type ChatMessage } from './canned-text.js';
import { isRecord } from './hops.js';
import { NodeFault } from './node-faults.js';

/** What the node reads of a request; everything else in it is ignored. */
export interface ChatRequest {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

export type AnswerKind = 'chat' | 'text';

/** @throws NodeFault 404 for another model than `model`, 400 naming the field for what can't be read */
export function readChatRequest(body: unknown, kind: AnswerKind, model: string): ChatRequest {
  if (!isRecord(body)) throw new NodeFault(400, 'invalid_request', 'The body is not a JSON object.');
  if (typeof body.model !== 'string') throw unfit('model', 'a string');
  if (body.model !== model) {
    throw new NodeFault(404, 'model_not_found', `This node serves ${JSON.stringify(model)} only.`, 'model');
  }
  return {
    prompt: kind === 'chat' ? promptOf(readMessages(body.messages)) : readPrompt(body.prompt),
    maxTokens: readMaxTokens(body),
    stream: readSwitch(body.stream, 'stream'),
    includeUsage: readIncludeUsage(body.stream_options),
  };
}

function readMessages(value: unknown): ChatMessage[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) {
    throw unfit('messages', 'a list of at least one message with a role and text');
  }
  return value;
}

function isMessage(value: unknown): value is ChatMessage {
  if (!isRecord(value) || typeof value.role !== 'string') return false;
  const content = value.content ?? '';
  return typeof content === 'string' || (Array.isArray(content) && content.every(isPart));
}

function isPart(value: unknown): boolean {
  return isRecord(value) && (value.text === undefined || typeof value.text === 'string');
}

function readPrompt(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')) {
    return value.join('\n');
  }
  throw unfit('prompt', 'a string or a list of strings');
}

function readMaxTokens(body: Record<string, unknown>): number {
  const param = (body.max_completion_tokens ?? null) === null ? 'max_tokens' : 'max_completion_tokens';
  const value = body[param] ?? DEFAULT_MAX_TOKENS;
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw unfit(param, 'a whole number from 1');
  return value as number;
}

function readIncludeUsage(value: unknown): boolean {
  if ((value ?? null) === null) return false;
  if (!isRecord(value)) throw unfit('stream_options', 'an object');
  return readSwitch(value.include_usage, 'stream_options.include_usage');
}

function readSwitch(value: unknown, param: string): boolean {
  if ((value ?? null) === null) return false;
  if (typeof value !== 'boolean') throw unfit(param, 'true or false');
  return value;
}

function unfit(param: string, rule: string): NodeFault {
  return new NodeFault(400, 'invalid_request', `${param} must be ${rule}.`, param);
}
