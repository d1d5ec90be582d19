/** What a header may be called (RFC 9110, 5.6.2). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** What no value of a header may hold, as latin1 (RFC 9110, 5.5): line ends above all, which would begin another header. */
export const UNFIT_FOR_A_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** Without the blanks and tabs around it: of other white space none may stand there. */
export function withoutBlanks(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

const CR = 13;
const LF = 10;

/** Some clients and servers send an empty line behind a message, or before one. */
export function isEmptyLines(bytes: Uint8Array, from = 0): boolean {
  return afterEmptyLines(bytes, from) === bytes.length;
}

/** Where something else stands. */
export function afterEmptyLines(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at += 1;
  return at;
}
