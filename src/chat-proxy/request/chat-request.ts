import { InvalidRequestError, isModelKey, MODEL_KEY_RULE } from '../../kernel/index.js';
import { scanMembers, type JsonMember } from '../bytes/index.js';

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
  /** Node ids of a pinned route, or null. */
  readonly pin: readonly string[] | null;
  /** The body as it came, and where its members are. */
  readonly body: Buffer;
  readonly members: readonly JsonMember[];
}

/** Read or changed by the tracker, so there must be no doubt about which of two counts. */
const OURS = ['model', 'stream', 'stream_options', 'route'] as const;
const MOST_HOPS = 256;

/**
 * Parses a chat once and checks the fields that concern the tracker.
 *
 * @throws InvalidRequestError naming the field; it never repeats what was sent
 */
export function parseChatRequest(body: Buffer): ChatRequest {
  const fields = parseObject(body);
  const members = scanMembers(body) ?? [];
  for (const name of OURS) {
    if (members.filter(({ key }) => key === name).length > 1) refuse(name, 'must not be given twice');
  }
  const stream = fields.stream ?? false;
  if (typeof stream !== 'boolean') refuse('stream', 'must be true or false');
  const model = fields.model;
  if (!isModelKey(model)) refuse('model', `must be ${MODEL_KEY_RULE}`);
  const streamOptions = readStreamOptions(fields.stream_options ?? null);
  const wantsUsage = streamOptions?.include_usage === true;
  const mostOutputTokens = readMost(fields);
  const pin = readPin(fields.route ?? null);
  return { model, stream, streamOptions, wantsUsage, mostOutputTokens, pin, body, members };
}

/** Whatever else stands there is the head's to refuse. Given both, the head keeps to the smaller one, if to any. */
function readMost({
  max_tokens: old,
  max_completion_tokens: present,
}: Record<string, unknown>): number | null {
  const most = Math.min(isBound(old) ? old : Infinity, isBound(present) ? present : Infinity);
  return Number.isFinite(most) ? most : null;
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function parseObject(body: Buffer): Record<string, unknown> {
  if (body.length === 0) throw new InvalidRequestError('The body is empty; send a JSON object.', null);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.', null);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequestError('The body must be a JSON object.', null);
  }
  return value as Record<string, unknown>;
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
