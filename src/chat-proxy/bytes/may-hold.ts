import { COLON, LOWER_N, OPEN_BRACE, skipBlanks } from './ascii.js';

const USAGE = Buffer.from('"usage"');
const FINISH_REASON = Buffer.from('"finish_reason"');
const ERROR = Buffer.from('"error"');
/** A key may be spelled `"us\u0061ge"`; nobody does, but skipping that chunk would lose a count. */
const ESCAPED_ASCII = Buffer.from('\\u00');

/**
 * Whether an SSE data payload may say more than content: usage, an error, a finish reason or `[DONE]`. It only
 * scans bytes. Never false when it does; sometimes true when it doesn't.
 */
export function mayHold(payload: Buffer): boolean {
  return (
    payload[skipBlanks(payload, 0)] !== OPEN_BRACE ||
    hasValue(payload, USAGE) ||
    hasValue(payload, FINISH_REASON) ||
    payload.includes(ERROR) ||
    payload.includes(ESCAPED_ASCII)
  );
}

/** Whether `key` is anywhere followed by a value other than null, which many servers send with every chunk. */
function hasValue(payload: Buffer, key: Buffer): boolean {
  for (let at = payload.indexOf(key); at !== -1; at = payload.indexOf(key, at + key.length)) {
    const colon = skipBlanks(payload, at + key.length);
    if (payload[colon] === COLON && payload[skipBlanks(payload, colon + 1)] !== LOWER_N) return true;
  }
  return false;
}
