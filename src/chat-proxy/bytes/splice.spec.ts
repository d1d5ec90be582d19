import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanMembers } from './json-members.js';
import { spliceMembers, type MemberEdit } from './splice.js';

function spliced(text: string, edits: readonly MemberEdit[]): string {
  const buf = Buffer.from(text);
  return spliceMembers(buf, scanMembers(buf)!, edits).toString();
}

const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 2 });
const key = fc.constantFrom('model', 'route', 'stream', 'a"b', '北京', '__proto__');
const valueText = fc.oneof(
  fc.constantFrom('1e400', '12345678901234567890', '-0', '"\\u0041😀"', '[ 1 ,{"model":"}"}]', '{}'),
  fc.json({ maxDepth: 2 }),
);
/** A body with odd blanks and repeated keys; the first part of each pair is the member's own bytes. */
const body = fc
  .array(fc.tuple(key, blanks, blanks, valueText, blanks, blanks), { maxLength: 5 })
  .map((parts) => ({
    members: parts.map(([name, before, after, value]) => ({
      key: name,
      text: `${JSON.stringify(name)}${before}:${after}${value}`,
      value,
    })),
    text: `{${parts
      .map(([name, before, after, value, left, right]) => {
        return `${left}${JSON.stringify(name)}${before}:${after}${value}${right}`;
      })
      .join(',')}}`,
  }));
const editsOf = fc.array(fc.record({ key, value: fc.option(valueText) }), { maxLength: 4 });

describe('splicing members', () => {
  it('means the same as editing the parsed object', () => {
    fc.assert(
      fc.property(body, editsOf, ({ text }, edits) => {
        const edited = new Map<string, unknown>(Object.entries(JSON.parse(text) as object));
        for (const { key: name, value } of edits) {
          if (value === null) edited.delete(name);
          else edited.set(name, JSON.parse(value));
        }
        const result = JSON.parse(spliced(text, edits)) as object;
        expect(new Map(Object.entries(result))).toEqual(edited);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the bytes and the order of untouched members', () => {
    fc.assert(
      fc.property(body, editsOf, ({ text, members }, edits) => {
        const touched = new Set(edits.map((edit) => edit.key));
        const result = spliced(text, edits);
        let from = 0;
        for (const member of members.filter((one) => !touched.has(one.key))) {
          const at = result.indexOf(member.text, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + member.text.length;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('only takes bytes away when it removes: the member and one comma', () => {
    fc.assert(
      fc.property(body, key, ({ text, members }, gone) => {
        const removed = members.filter((member) => member.key === gone);
        const commas = Math.max(0, Math.min(removed.length, members.length - 1));
        const bytes = removed.reduce((sum, member) => sum + Buffer.byteLength(member.text), commas);
        const result = spliced(text, [{ key: gone, value: null }]);
        expect(Buffer.byteLength(text) - Buffer.byteLength(result)).toBe(bytes);
      }),
    );
  });

  it('hands back the very buffer when nothing changes', () => {
    const buf = Buffer.from('{"model":"x"}');
    const members = scanMembers(buf)!;
    expect(spliceMembers(buf, members, [])).toBe(buf);
    expect(spliceMembers(buf, members, [{ key: 'route', value: null }])).toBe(buf);
  });

  it.each([
    ['{"route":[1],"model":"x"}', '{"model":"x"}'],
    ['{"model":"x","route":[1]}', '{"model":"x"}'],
    ['{"route":[1]}', '{}'],
    ['{ "a":1 , "route":[1] , "b":2 }', '{ "a":1 ,   "b":2 }'],
    ['{"route":1,"route":2,"a":1e400,"route":3,"route":4}', '{"a":1e400}'],
    ['{"rout\\u0065":1,"a":12345678901234567890}', '{"a":12345678901234567890}'],
  ])('takes route out of %s', (text, expected) => {
    expect(spliced(text, [{ key: 'route', value: null }])).toBe(expected);
  });

  it.each([
    ['{}', '{"n":1}'],
    ['{ }', '{"n":1 }'],
    ['{"a":1 }', '{"a":1,"n":1 }'],
    ['{"n" : 0, "n":[]}', '{"n" : 1, "n":1}'],
  ])('sets n in %s', (text, expected) => {
    expect(spliced(text, [{ key: 'n', value: '1' }])).toBe(expected);
  });

  it('removes, replaces and appends in one go', () => {
    const edits = [
      { key: 'route', value: null },
      { key: 'model', value: '"up"' },
      { key: 'stream_options', value: '{"include_usage":true}' },
    ];
    expect(spliced('{"model":"m","seed":-0,"route":["a"]}', edits)).toBe(
      '{"model":"up","seed":-0,"stream_options":{"include_usage":true}}',
    );
    expect(spliced('{"route":["a"]}', edits)).toBe('{"model":"up","stream_options":{"include_usage":true}}');
  });

  it('lets the last of several edits of one key count', () => {
    const edits = [
      { key: 'a', value: '1' },
      { key: 'a', value: null },
    ];
    expect(spliced('{"a":0,"b":2}', edits)).toBe('{"b":2}');
    expect(spliced('{"b":2}', edits.toReversed())).toBe('{"b":2,"a":1}');
  });
});
