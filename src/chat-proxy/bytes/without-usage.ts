import { scanMembers } from './json-members.js';
import { spliceMembers } from './splice.js';
import type { SseEvent } from './sse-framer.js';

/** Members that every chunk has; a chunk of these alone, its choices empty, says nothing once its usage is gone. */
const ENVELOPE: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'provider',
  'service_tier',
  'system_fingerprint',
]);
const EMPTY_CHOICES = /^(\[\s*\]|null)$/;
/** The head of a stream may carry a byte order mark. */
const DATA_LINE = /^\uFEFF?data(:|$)/;
const LINE_END = /\r\n|\r|\n/;
const NOTHING = Buffer.alloc(0);
const NO_EDIT = [{ key: 'usage', value: null }];

/**
 * Returns the bytes of an event without the member `usage` of its data, each other byte as it came; empty where nothing
 * is left that a client could use. Engines put figures of their own beside usage: llama.cpp its `timings`.
 */
export function withoutUsage({ bytes, data }: SseEvent): Buffer {
  const members = data === null ? null : scanMembers(data);
  if (data === null || members === null) return bytes;
  const says = members.some(
    ({ key, valueStart, valueEnd }) =>
      key !== 'usage' &&
      !ENVELOPE.has(key) &&
      !(key === 'choices' && EMPTY_CHOICES.test(data.toString('latin1', valueStart, valueEnd))),
  );
  return says ? withData(bytes, data, spliceMembers(data, members, NO_EDIT)) : NOTHING;
}

/** The event with other data. Data of several lines is no view of the event, and is written as lines again. */
function withData(bytes: Buffer, data: Buffer, changed: Buffer): Buffer {
  const at = data.byteOffset - bytes.byteOffset;
  const isView = data.buffer === bytes.buffer && at >= 0 && at + data.length <= bytes.length;
  if (isView) return Buffer.concat([bytes.subarray(0, at), changed, bytes.subarray(at + data.length)]);
  return Buffer.from(relined(bytes.toString('utf8'), changed.toString('utf8')));
}

/** An event whose data stood in several lines: these give way to the changed data, all other lines stay. */
function relined(event: string, data: string): string {
  const lines = event.split(LINE_END);
  const isData = (line: string): boolean => DATA_LINE.test(line);
  const first = lines.findIndex(isData);
  const others = lines.filter((line, at) => at <= first || !isData(line));
  const said = data.split('\n').map((line) => `data: ${line}`);
  return [...others.slice(0, first), ...said, ...others.slice(first + 1)].join('\n');
}
