import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseFramer, type SseEvent } from './sse-framer.js';
import { withoutUsage } from './without-usage.js';

/** The only event of a stream of these bytes. */
function eventOf(text: string | Buffer): SseEvent {
  const framer = new SseFramer();
  const events = framer.feed(Buffer.from(text));
  const event = events[0] ?? framer.end();
  if (event === null || events.length > 1) throw new Error('not one event');
  return event;
}

function left(text: string): string {
  return withoutUsage(eventOf(text)).toString();
}

function dataOf(bytes: Buffer): unknown {
  return JSON.parse(eventOf(bytes).data!.toString()) as unknown;
}

const USAGE = '"usage":{"prompt_tokens":5,"completion_tokens":7}';

describe('an event without its usage', () => {
  it.each([
    [`{"choices":[],"timings":{"n":1},${USAGE}}`, '{"choices":[],"timings":{"n":1}}'],
    [`{${USAGE},"timings":{"n":1}}`, '{"timings":{"n":1}}'],
    [`{"id":"a",${USAGE},"choices":[{"index":0}]}`, '{"id":"a","choices":[{"index":0}]}'],
    [`{"a":1, ${USAGE} , "b":2}`, '{"a":1,  "b":2}'],
    ['{"choices":[{"delta":{}}],"usage":null}', '{"choices":[{"delta":{}}]}'],
    ['{"usage":1,"x":[],"usage":2}', '{"x":[]}'],
    ['{"us\\u0061ge":1,"x":1}', '{"x":1}'],
    ['{"x":{"usage":1},"usage":1}', '{"x":{"usage":1}}'],
    [
      '{"n":12345678901234567890,"f":1e400,"s":"\\u0041é😀","usage":1}',
      '{"n":12345678901234567890,"f":1e400,"s":"\\u0041é😀"}',
    ],
  ])('keeps each other byte of %s', (data, expected) => {
    expect(left(`data: ${data}\n\n`).replace(/\s/g, '')).toBe(`data:${expected}`.replace(/\s/g, ''));
  });

  it.each([
    'data: @\n\n',
    'data:@\r\n\r\n',
    'data: @\r\r',
    'event: x\nid: 1\ndata: @\n: note\n\n',
    ': c\ndata: @\n\n',
    'data: @',
  ])('keeps the lines around its data: %j', (frame) => {
    expect(left(frame.replace('@', `{"timings":1,${USAGE}}`))).toBe(frame.replace('@', '{"timings":1}'));
  });

  it.each([
    ': a comment\n\n',
    'event: ping\n\n',
    'data: [DONE]\n\n',
    'data: no JSON\n\n',
    'data: [{"usage":1}]\n\n',
    'data: {"usage":1\n\n',
    'data:\n\n',
    'data: {"choices":[{"index":0}]}\n\n',
  ])('is the very event where its data has none: %j', (frame) => {
    expect(left(frame)).toBe(frame);
  });

  it('keeps its data where that stands in several lines', () => {
    const frame = `data: {"timings":\ndata: {"n":1},\ndata: ${USAGE}}\n\n`;
    const bytes = withoutUsage(eventOf(frame));
    expect(dataOf(bytes)).toEqual({ timings: { n: 1 } });
    expect(bytes.toString()).toMatch(/^(data: [^\n]*\n)+\n$/);
  });

  it('keeps its data in several lines after a byte order mark', () => {
    const bytes = withoutUsage(eventOf(`\ufeffdata: {"timings":1,\ndata: ${USAGE}}\n\n`));
    expect(dataOf(bytes)).toEqual({ timings: 1 });
  });

  it.each(['\n', '\r\n', '\r'])('keeps its data in several lines that end in %j', (eol) => {
    const lines = [
      'id: 7',
      'data:{"timings":1,',
      ': note',
      `data: ${USAGE}`,
      'data',
      'data: }',
      'retry: 5',
      '',
      '',
    ];
    const bytes = withoutUsage(eventOf(lines.join(eol)));
    expect(dataOf(bytes)).toEqual({ timings: 1 });
    for (const line of ['id: 7', ': note', 'retry: 5']) {
      expect(bytes.toString().split(/\r\n|\r|\n/)).toContain(line);
    }
  });

  it('keeps the other lines of an event whose data stands in several lines', () => {
    const bytes = withoutUsage(eventOf(`id: 7\nevent: x\ndata: {"timings":1,\ndata: ${USAGE}}\n\n`));
    expect(bytes.toString()).toMatch(/^id: 7$/m);
    expect(bytes.toString()).toMatch(/^event: x$/m);
  });
});

describe('an event in which only usage says something', () => {
  it.each([
    `{${USAGE}}`,
    `{"choices":[],${USAGE}}`,
    `{"choices":[ ],${USAGE}}`,
    `{"choices":null,${USAGE}}`,
    `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[],${USAGE}}`,
    `{"provider":"p","service_tier":"t","system_fingerprint":"f","choices":[],${USAGE}}`,
  ])('leaves nothing: %s', (data) => {
    expect(left(`data: ${data}\n\n`)).toBe('');
    expect(left(`event: x\ndata: ${data.replace(',', ',\ndata: ')}\n\n`)).toBe('');
  });

  it.each([
    '"timings":{}',
    '"choices":[{"index":0}]',
    '"choices":[[]]',
    '"choices":{}',
    '"x":null',
    '"error":{}',
  ])('leaves an event with %s', (member) => {
    expect(left(`data: {"id":"a",${member},${USAGE}}\n\n`)).toBe(`data: {"id":"a",${member}}\n\n`);
  });
});

describe('any chunk', () => {
  const key = fc.oneof(
    fc.constantFrom('id', 'choices', 'timings', 'a"b', '\\', 'é', '😀'),
    fc.string({ maxLength: 5 }),
  );
  const chunk = fc
    .dictionary(key, fc.jsonValue(), { maxKeys: 5, noNullPrototype: true })
    .filter((members) => !Object.hasOwn(members, 'usage') && !Object.hasOwn(members, '__proto__'));
  const blank = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 2 });
  const before = fc.constantFrom('', 'id: 1\n', ': note\n', 'event: x\r\n');
  const end = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r', '\n: more\n\n');

  it('is the same object without its usage, all other bytes as they came', () => {
    fc.assert(
      fc.property(
        chunk,
        fc.jsonValue(),
        fc.nat(5),
        blank,
        before,
        end,
        (members, usage, place, gap, head, tail) => {
          const kept = { ...members, sign: 1 };
          const parts = Object.entries(kept).map(
            ([name, value]) => `${JSON.stringify(name)}:${gap}${JSON.stringify(value)}`,
          );
          const at = Math.min(place, parts.length);
          const data = `{${gap}${[...parts.slice(0, at), `"usage"${gap}:${JSON.stringify(usage)}`, ...parts.slice(at)].join(',')}${gap}}`;
          const bytes = withoutUsage(eventOf(`${head}data: ${data}${tail}`));
          expect(bytes.toString()).toBe(`${head}data: {${gap}${parts.join(',')}${gap}}${tail}`);
          expect(dataOf(bytes)).toEqual(JSON.parse(JSON.stringify(kept)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('over several lines is the same object without its usage', () => {
    fc.assert(
      fc.property(chunk, fc.jsonValue(), (members, usage) => {
        const kept = { ...members, sign: 1 };
        const lines = JSON.stringify({ usage, ...kept }, null, 1).split('\n');
        const bytes = withoutUsage(eventOf(`${lines.map((line) => `data: ${line}`).join('\n')}\n\n`));
        expect(dataOf(bytes)).toEqual(JSON.parse(JSON.stringify(kept)));
      }),
    );
  });
});
