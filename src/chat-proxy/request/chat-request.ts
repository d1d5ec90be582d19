import { InvalidRequestError, isModelKey, MODEL_KEY_RULE } from '../../kernel/index.js';
import { repeatedMember } from '../bytes/index.js';

/** What the tracker has to know of a chat; all else is the head's business. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The client's own `stream_options`, or null. */
  readonly streamOptions: Readonly<Record<string, unknown>> | null;
  /** The client wants the usage chunk of a stream. */
  readonly wantsUsage: boolean;
  /** No answer is longer, in tokens; null where the client set no bound that can be understood. */
  readonly mostOutputTokens: number | null;
  /** How many choices are asked for. */
  readonly choices: number;
  /** Node ids of a pinned route, or null. */
  readonly pin: readonly string[] | null;
  /** `route` stands in the body, be it null. */
  readonly hasRoute: boolean;
  /** The body as it came. */
  readonly body: Buffer;
}

/** Read or changed by the tracker, so there must be no doubt about which of two counts. */
const OURS = ['model', 'stream', 'stream_options', 'route'] as const;
const MOST_HOPS = 256;
const NO_ASCII = /[^\0-\x7f]/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a chat once and checks the fields that concern the tracker.
 *
 * @throws InvalidRequestError naming the field; it never repeats what was sent
 */
export function parseChatRequest(body: Buffer): ChatRequest {
  const bytes = body.toString('latin1');
  const fields = parseObject(body, bytes);
  const twice = repeatedMember(bytes, OURS);
  if (twice !== null) refuse(twice, 'must not be given twice');
  const stream = fields.stream ?? false;
  if (typeof stream !== 'boolean') refuse('stream', 'must be true or false');
  const model = fields.model;
  if (!isModelKey(model)) refuse('model', `must be ${MODEL_KEY_RULE}`);
  const streamOptions = readStreamOptions(fields.stream_options ?? null);
  const wantsUsage = streamOptions?.include_usage === true;
  const mostOutputTokens = readMost(fields);
  const choices = isBound(fields.n) ? fields.n : 1;
  const pin = readPin(fields.route ?? null);
  const hasRoute = fields.route !== undefined;
  return { model, stream, streamOptions, wantsUsage, mostOutputTokens, choices, pin, hasRoute, body };
}

/** Whatever else stands there is the head's to refuse. Given both, the head keeps to the smaller one, if to any. */
function readMost({ max_tokens: old, max_completion_tokens: present }: Fields): number | null {
  if (!isBound(old)) return isBound(present) ? present : null;
  return isBound(present) ? Math.min(old, present) : old;
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** @param bytes the body, each byte as one character */
function parseObject(body: Buffer, bytes: string): Fields {
  if (body.length === 0) throw new InvalidRequestError('The body is empty; send a JSON object.', null);
  const fields = parse(bytes);
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new InvalidRequestError('The body must be a JSON object.', null);
  }
  return isPlain(fields as Fields) ? (fields as Fields) : (parse(body.toString('utf8')) as Fields);
}

/**
 * UTF-8 read as latin1 is the same JSON with other characters in its strings, and half the work. Whether those that are the
 * tracker's to read could have such: names of models and nodes rarely do, and prompts don't matter.
 */
function isPlain({ model, route, stream_options: options }: Fields): boolean {
  const isAscii = typeof model !== 'string' || !NO_ASCII.test(model);
  return isAscii && (route ?? null) === null && (options ?? null) === null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.', null);
  }
}

function readStreamOptions(value: unknown): Record<string, unknown> | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) refuse('stream_options', 'must be an object');
  const options = value as Record<string, unknown>;
  const wants = options.include_usage ?? false;
  if (typeof wants !== 'boolean') refuse('stream_options.include_usage', 'must be true or false');
  return options;
}

function readPin(value: unknown): string[] | null {
  if (value === null) return null;
  const isList = Array.isArray(value) && value.every((id) => typeof id === 'string' && id !== '');
  if (!isList || value.length === 0) refuse('route', 'must be a list of node ids');
  if ((value as string[]).length > MOST_HOPS) refuse('route', `must have at most ${String(MOST_HOPS)} hops`);
  return value as string[];
}

function refuse(param: string, rule: string): never {
  throw new InvalidRequestError(`${param} ${rule}.`, param);
}
