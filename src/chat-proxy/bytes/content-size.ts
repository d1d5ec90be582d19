import { isJsonObject } from './in-band-error.js';
import { readFields } from './sse-fields.js';

/** Text of these says nothing of how much the model has written. */
const NAMES: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name']);

/** How many bytes of text, reasoning and tool arguments one whole SSE event carries; 0 where it can't be read. */
export function contentBytesOf(event: Buffer): number {
  const { data } = readFields(event, 0);
  if (data === null) return 0;
  try {
    const chunk: unknown = JSON.parse(data.toString('utf8'));
    if (!isJsonObject(chunk) || !Array.isArray(chunk.choices)) return 0;
    return chunk.choices.reduce((sum: number, choice) => sum + choiceBytes(choice), 0);
  } catch {
    return 0;
  }
}

function choiceBytes(choice: unknown): number {
  return isJsonObject(choice) ? textBytes(choice.text) + textBytes(choice.delta) : 0;
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + textBytes(part), 0);
  if (!isJsonObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, part]) => sum + (NAMES.has(key) ? 0 : textBytes(part)), 0);
}
