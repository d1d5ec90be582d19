import { COMMA, OPEN_BRACE } from './ascii.js';
import type { JsonMember } from './json-members.js';

/** `value` is JSON text that becomes the member's value; null takes the member away. */
export interface MemberEdit {
  readonly key: string;
  readonly value: string | null;
}

/**
 * `buf` with some top-level members changed and every other byte as it came. Parsing and printing the body again
 * would turn 12345678901234567890 into another number and 1e400 into null, and would cost a copy of each prompt.
 *
 * A value replaces that of every member with the key, or is appended as the last member; null takes every member
 * with the key away, each with one comma beside it. Of several edits of one key the last counts.
 *
 * @param members what `scanMembers(buf)` found
 * @returns `buf` itself if nothing changes
 */
export function spliceMembers(
  buf: Buffer,
  members: readonly JsonMember[],
  edits: readonly MemberEdit[],
): Buffer {
  if (edits.length === 0) return buf;
  const wanted = new Map(edits.map(({ key, value }) => [key, value]));
  const missing = appendedMembers(members, wanted);
  const lastKept = members.findLastIndex(({ key }) => wanted.get(key) !== null);

  const pieces: Buffer[] = [];
  let copied = 0;
  const replace = (from: number, to: number, text = ''): void => {
    pieces.push(buf.subarray(copied, from), Buffer.from(text));
    copied = to;
  };

  if (lastKept === -1 && missing !== '') {
    const inside = buf.indexOf(OPEN_BRACE) + 1;
    replace(inside, inside, missing);
  }
  for (const [index, member] of members.entries()) {
    const value = wanted.get(member.key);
    if (value === null) replace(member.start, member.end);
    else if (value !== undefined) replace(member.valueStart, member.valueEnd, value);
    if (index === lastKept && missing !== '') replace(member.end, member.end, `,${missing}`);
    const commaGoes = value === null || index >= lastKept;
    if (commaGoes && index < members.length - 1) {
      const comma = buf.indexOf(COMMA, member.end);
      replace(comma, comma + 1);
    }
  }
  if (pieces.length === 0) return buf;
  pieces.push(buf.subarray(copied));
  return Buffer.concat(pieces);
}

/** `"key":value` of each wanted key that no member has, comma-separated. */
function appendedMembers(members: readonly JsonMember[], wanted: ReadonlyMap<string, string | null>): string {
  const present = new Set(members.map(({ key }) => key));
  return [...wanted]
    .flatMap(([key, value]) =>
      value === null || present.has(key) ? [] : [`${JSON.stringify(key)}:${value}`],
    )
    .join(',');
}
