import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseFramer } from './sse-framer.js';
import { SseRelay, type RelayPiece } from './sse-relay.js';

const text = fc.constantFrom('北京😀é', 'a', '', '\u0000', '[DONE]', '\\"usage\\":{', '日本\u2028');
const eol = fc.constantFrom('\n', '\r\n', '\r');

const line = fc.oneof(
  text.map((some) => `data: {"choices":[{"delta":{"content":${JSON.stringify(some)}}}]}`),
  fc.nat().map((count) => `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":${count}}}`),
  text.map((some) => `: ${some}`),
  text.map((some) => `data:${some}`),
  fc.constantFrom('data: {"choices":[],', 'data: "usage":{}}', 'event: error', 'id: 1', 'data', 'x'),
);
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      line.map((one) => [one]),
      eol,
      eol,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.array(line, { maxLength: 3 }), eol, eol) },
);
const eventText = event.map(
  ([lines, lineEnd, lastEnd]) => lines.map((one) => one + lineEnd).join('') + lastEnd,
);
const tailText = fc.constantFrom('', 'data: [DONE]\n\n', 'data: [DONE]\r\n\r\n', 'data: [DONE]', 'data: 北');
const stream = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(eventText, { maxLength: 6 }), tailText)
  .map(([mark, events, tail]) => Buffer.from(mark + events.join('') + tail));

/** Where to cut: shares of the stream's length, so that they shrink well. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const ends = shares.map((share) => Math.floor(share * bytes.length)).sort((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function byteByByte(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
}

interface Framed {
  events: [kind: string, data: string | null, event: string | null][];
  bytes: string;
}

/** What the framer read; tails, and how an overflow was cut into parts, depend on the splitting and count for nothing. */
function framed(chunks: readonly Buffer[], maxEventBytes: number): Framed {
  const framer = new SseFramer(maxEventBytes);
  const all = chunks.flatMap((chunk) => framer.feed(chunk));
  const rest = framer.end();
  if (rest !== null) all.push(rest);
  return {
    events: all
      .filter(({ kind }) => kind === 'event' || kind === 'rest')
      .map(({ kind, data, event: name }) => [kind, data?.toString('hex') ?? null, name]),
    bytes: Buffer.concat(all.map(({ bytes }) => bytes)).toString('hex'),
  };
}

type Feed = (relay: SseRelay, chunk: Buffer) => Pick<RelayPiece, 'kind' | 'bytes'>[];

const feedAll: Feed = (relay, chunk) => relay.feed(chunk);

/** As a reader does whose client has begun to see the stream. */
const feedWhatIsMore: Feed = (relay, chunk) => {
  const events = relay.contentIn(chunk);
  if (events === 0) return relay.feed(chunk);
  return Array.from({ length: events }, (_, at) => ({
    kind: 'data',
    bytes: at === 0 ? chunk : Buffer.alloc(0),
  }));
};

function relayed(chunks: readonly Buffer[], stripUsage: boolean, feed = feedAll): object {
  const relay = new SseRelay({ stripUsage });
  const pieces = [...chunks.flatMap((chunk) => feed(relay, chunk)), ...relay.end()];
  const { usage, contentChunks, sawDone, choices, firstError } = relay.tap;
  const completeness = choices.completeness('sent');
  const done = pieces.findIndex(({ kind }) => kind === 'done');
  return {
    bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('hex'),
    kinds: pieces.map(({ kind }) => kind).filter((kind) => kind === 'data' || kind === 'done'),
    lastIsMidEvent: relay.midEvent,
    doneSeen: done !== -1,
    tap: { usage, contentChunks, sawDone, completeness, firstError },
  };
}

const anyStream = fc.oneof(
  { weight: 4, arbitrary: stream },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom('\r', '\n', 'data', ':', ' ', 'x'), { maxLength: 30 })
      .map((parts) => Buffer.from(parts.join(''))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
);

describe('any splitting of a stream into chunks', () => {
  it('gives the same frames, and together exactly the bytes that came', () => {
    fc.assert(
      fc.property(anyStream, cuts, fc.constantFrom(1024 * 1024, 40), (bytes, shares, maxEventBytes) => {
        const whole = framed([bytes], maxEventBytes);
        expect(whole.bytes).toBe(bytes.toString('hex'));
        expect(framed(cut(bytes, shares), maxEventBytes)).toEqual(whole);
        expect(framed(byteByByte(bytes), maxEventBytes)).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });

  it('relays the same bytes and reads the same usage, with and without the usage chunk (B07)', () => {
    fc.assert(
      fc.property(anyStream, cuts, fc.boolean(), (bytes, shares, stripUsage) => {
        const whole = relayed([bytes], stripUsage);
        expect(relayed(cut(bytes, shares), stripUsage)).toEqual(whole);
        expect(relayed(byteByByte(bytes), stripUsage)).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });

  it('relays and reads the same where content that follows content passes whole', () => {
    const token = fc.constantFrom('a', 'bc ', '北', 'x"', '\\n').map((text) => ({ text }));
    const event = fc.oneof(
      {
        weight: 8,
        arbitrary: token.map(({ text }) => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`),
      },
      fc.constantFrom(
        ': ping\n\n',
        'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
        'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
        'data: {"error":{"message":"no"}}\r\n\r\n',
        'data: [DONE]\n\n',
        '\n',
      ),
    );
    /** Packets of whole events, or cut anywhere. */
    const packets = fc.oneof(
      fc.array(fc.array(event, { minLength: 1, maxLength: 4 }).map((events) => Buffer.from(events.join('')))),
      fc.tuple(fc.array(event), cuts).map(([events, shares]) => cut(Buffer.from(events.join('')), shares)),
    );
    let passed = 0;
    fc.assert(
      fc.property(packets, fc.boolean(), (chunks, stripUsage) => {
        const counting: Feed = (relay, chunk) => {
          const pieces = feedWhatIsMore(relay, chunk);
          if (pieces.length > 1 && pieces[1]?.bytes.length === 0) passed += 1;
          return pieces;
        };
        expect(relayed(chunks, stripUsage, counting)).toEqual(relayed(chunks, stripUsage));
      }),
      { numRuns: 1000 },
    );
    expect(passed).toBeGreaterThan(20);
  });

  it('passes each chunk at once to a client that asked for usage', () => {
    fc.assert(
      fc.property(anyStream, cuts, (bytes, shares) => {
        const relay = new SseRelay({ stripUsage: false });
        for (const chunk of cut(bytes, shares)) {
          const out = Buffer.concat(relay.feed(chunk).map((piece) => piece.bytes));
          expect(out.equals(chunk)).toBe(true);
        }
        expect(relay.end().every((piece) => piece.bytes.length === 0)).toBe(true);
      }),
    );
  });

  it('keeps characters whole that it cuts through, in every line end (B07, B09)', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const events = ['data: {"choices":[{"delta":{"content":"北京😀é"}}]}', 'data: [DONE]'];
      const bytes = Buffer.from(events.map((one) => one + end + end).join(''));
      for (let at = 1; at < bytes.length; at++) {
        expect(relayed(cut(bytes, [at / bytes.length]), true)).toMatchObject({
          bytes: bytes.toString('hex'),
          kinds: ['data', 'done'],
          tap: { contentChunks: 1, sawDone: true },
        });
      }
    }
  });

  it('leaves out exactly the usage chunks', () => {
    const parts = fc.array(fc.tuple(fc.constantFrom('usage', 'text', 'comment'), eol), { maxLength: 6 });
    const lines = {
      usage: 'data: {"choices":[],"usage":{"completion_tokens":40}}',
      text: 'data: {"choices":[{"delta":{"content":"é"}}]}',
      comment: ': ping',
    };
    fc.assert(
      fc.property(parts, cuts, (some, shares) => {
        const eventOf = ([kind, end]: [string, string]): string => lines[kind as 'usage'] + end + end;
        const bytes = Buffer.from(some.map(eventOf).join(''));
        const expected = some
          .filter(([kind]) => kind !== 'usage')
          .map(eventOf)
          .join('');
        expect(relayed(cut(bytes, shares), true)).toMatchObject({
          bytes: Buffer.from(expected).toString('hex'),
          lastIsMidEvent: false,
        });
      }),
    );
  });
});
