import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatedMember, scanMembers } from './json-members.js';

/** Each member as [key, value text]; also checks that start and end hold together. */
function membersOf(text: string | Buffer): [string, string][] | null {
  const buf = Buffer.from(text);
  const members = scanMembers(buf);
  if (members === null) return null;
  return members.map(({ key, start, end, valueStart, valueEnd }) => {
    expect(buf[start]).toBe(0x22);
    expect(start).toBeLessThan(valueStart);
    expect(valueStart).toBeLessThan(valueEnd);
    expect(end).toBe(valueEnd);
    expect(end).toBeLessThan(buf.length);
    return [key, buf.toString('utf8', valueStart, valueEnd)];
  });
}

/** JSON texts of any object, printed tight or with blanks. */
const objectText = fc
  .tuple(
    fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })),
    fc.constantFrom(undefined, 1, '\t', '\r\n'),
  )
  .map(([object, indent]) => JSON.stringify(object, null, indent));

describe('the scan of top-level members', () => {
  it('finds every member of whatever JSON.parse accepts as an object', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const parsed = new Map(Object.entries(JSON.parse(text) as object));
        const found = new Map(membersOf(text)?.map(([key, value]) => [key, JSON.parse(value) as unknown]));
        expect(found).toEqual(parsed);
      }),
    );
  });

  it('places values, not the text around them', () => {
    expect(membersOf(' \r\n{ "a" :\t1e400 ,"b":[1, {"c":"]}"}] , "d":"x\\"}," }\n')).toEqual([
      ['a', '1e400'],
      ['b', '[1, {"c":"]}"}]'],
      ['d', '"x\\"},"'],
    ]);
  });

  it('tells an escaped quote from one behind an escaped backslash', () => {
    expect(membersOf('{"a":"\\\\","b":"\\\\\\"","c":"\\\\\\\\"}')).toEqual([
      ['a', '"\\\\"'],
      ['b', '"\\\\\\""'],
      ['c', '"\\\\\\\\"'],
    ]);
  });

  it('reads an escaped key as what it means', () => {
    expect(membersOf('{"mod\\u0065l":"x","\\u5317京":1,"a\\"b":2}')).toEqual([
      ['model', '"x"'],
      ['北京', '1'],
      ['a"b', '2'],
    ]);
  });

  it('lists a repeated key each time, nested keys never', () => {
    expect(membersOf('{"model":"a","x":{"model":"b"},"model":"c"}')).toEqual([
      ['model', '"a"'],
      ['x', '{"model":"b"}'],
      ['model', '"c"'],
    ]);
    expect(membersOf(' { } ')).toEqual([]);
  });

  it.each([
    '',
    '   ',
    'null',
    '[1]',
    '"a"',
    '{',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    '{"a" 1}',
    '{"a":}',
    '{"a":"x}',
    '{"a":[1}',
    '{"a":["x',
    '{"a":1}{',
    '{"a":1}x',
    '{"a":1 "b":2}',
    '{"\\u00zz":1}',
  ])('answers null for %j, which is no complete object', (text) => {
    expect(membersOf(text)).toBeNull();
  });

  it('survives a million nested brackets', () => {
    const depth = 1_000_000;
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    expect(scanMembers(Buffer.from(`{"a":${nested}}`))).toHaveLength(1);
    expect(scanMembers(Buffer.from(`{"a":${'['.repeat(depth)}`))).toBeNull();
  });

  it('takes linear time over a string of nothing but escapes', () => {
    expect(
      scanMembers(Buffer.from(`{"a":"${'\\\\'.repeat(1_000_000)}${'\\"'.repeat(200_000)}"}`)),
    ).toHaveLength(1);
  });

  it('never throws nor points out of bounds, whatever the bytes', () => {
    const jsonish = fc
      .string({ unit: fc.constantFrom(...Array.from('{}[]":,\\u 1a')) })
      .map((text) => Buffer.from(text));
    const anyBytes = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(jsonish, anyBytes), fc.boolean(), (bytes, wrapped) => {
        const buf = wrapped ? Buffer.concat([Buffer.from('{"k":'), bytes, Buffer.from('}')]) : bytes;
        for (const { start, end } of scanMembers(buf) ?? []) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(buf.length);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a repeated member', () => {
  const NAMES = ['model', 'stream', 'route'] as const;
  const repeatedIn = (text: string): string | null =>
    repeatedMember(Buffer.from(text).toString('latin1'), NAMES);

  it('is one of those asked for, however it is written, and of several the first asked for', () => {
    expect(repeatedIn('{"model":1,"x":{"model":2},"y":"model"}')).toBeNull();
    expect(repeatedIn('{"x":1,"x":2}')).toBeNull();
    expect(repeatedIn('{"route":1,"mod\\u0065l":1,"route":2,"model":2,"model":3}')).toBe('model');
    expect(repeatedIn('{"é":"\\"","route":[1,"]"],"rout\\u0065":null}')).toBe('route');
  });

  it('is what the scan of all members finds', () => {
    const key = fc.constantFrom('model', 'stream', 'route', 'x', 'é', '\\u006dodel');
    const members = fc.array(fc.tuple(key, fc.json()), { maxLength: 6 });
    fc.assert(
      fc.property(members, (all) => {
        const text = `{${all.map(([name, value]) => `"${name}": ${value}`).join(' ,')}}`;
        const keys = (scanMembers(Buffer.from(text)) ?? []).map((found) => found.key);
        const twice = NAMES.find((name) => keys.filter((found) => found === name).length > 1);
        expect(repeatedIn(text)).toBe(twice ?? null);
      }),
    );
  });
});
