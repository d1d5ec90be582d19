/** The bytes that JSON and SSE are built of. All are ASCII, so none can be part of a multi-byte UTF-8 character. */
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const LOWER_N = 0x6e;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** JSON's whitespace. `undefined` (past the end) is none. */
export function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

/** Offset of the first byte at or after `at` that is no blank; `bytes.length` if there is none. */
export function skipBlanks(bytes: Buffer, at: number): number {
  let here = at;
  while (isBlank(bytes[here])) here++;
  return here;
}
