import { describe, expect, it } from '@jest/globals';
import { SseFramer, type SseEvent } from './sse-framer.js';

interface Seen {
  kind: SseEvent['kind'];
  bytes: string;
  data: string | null;
  event: string | null;
}

function seen(events: readonly SseEvent[]): Seen[] {
  return events.map(({ kind, bytes, data, event }) => {
    return { kind, bytes: bytes.toString(), data: data?.toString() ?? null, event };
  });
}

/** Feeds each text as one chunk; what every feed gave. */
function feeds(framer: SseFramer, ...chunks: string[]): Seen[][] {
  return chunks.map((chunk) => seen(framer.feed(Buffer.from(chunk))));
}

function payloads(...chunks: string[]): (string | null)[] {
  return feeds(new SseFramer(), ...chunks)
    .flat()
    .filter(({ kind }) => kind === 'event')
    .map(({ data }) => data);
}

describe('the SSE framer', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['LF then CRLF', 'data: a\n\r\ndata: b\n\r\n'],
    ['CRLF then LF', 'data: a\r\n\ndata: b\r\n\n'],
    ['CR then LF-only events', 'data: a\r\rdata: b\n\n'],
  ])('cuts at blank lines that end in %s', (_name, stream) => {
    expect(payloads(stream)).toEqual(['a', 'b']);
    expect(payloads(...Array.from(stream))).toEqual(['a', 'b']);
  });

  it('hands an event over with its CR and lets the late LF follow as a tail, not as a blank line', () => {
    expect(feeds(new SseFramer(), 'data: a\r\n\r', '\ndata: b\r', '\n\r\n')).toEqual([
      [{ kind: 'event', bytes: 'data: a\r\n\r', data: 'a', event: null }],
      [{ kind: 'tail', bytes: '\n', data: null, event: null }],
      [{ kind: 'event', bytes: 'data: b\r\n\r\n', data: 'b', event: null }],
    ]);
  });

  it('takes no LF for a tail that follows anything but a CR', () => {
    expect(feeds(new SseFramer(), 'data: a\n\n', '\n')).toEqual([
      [expect.objectContaining({ kind: 'event' })],
      [{ kind: 'event', bytes: '\n', data: null, event: null }],
    ]);
  });

  it('joins several data lines with one LF each', () => {
    expect(payloads('data: a\r\ndata:\r\ndata:  b\r\ndata\r\n\r\n')).toEqual(['a\n\n b\n']);
  });

  it('gives an event without data null, and one with an empty data line empty data', () => {
    expect(payloads(': ping\n\n', 'id: 7\nretry: 5\n\n', 'data\n\n', 'data:\n\n', '\n')).toEqual([
      null,
      null,
      '',
      '',
      null,
    ]);
  });

  it('reads the name of an event, and fields only where the name is whole', () => {
    const [[first], [second]] = feeds(
      new SseFramer(),
      'event: error\ndata: x\n\n',
      'database: 1\n data: 2\nDATA: 3\nevents: e\ndat\n: data: 4\n\n',
    ) as [[Seen], [Seen]];
    expect(first).toMatchObject({ data: 'x', event: 'error' });
    expect(second).toMatchObject({ data: null, event: null });
  });

  it('ignores a byte order mark at the very start, even cut in three, and keeps its bytes', () => {
    const framer = new SseFramer();
    const stream = Buffer.from('\ufeffdata: a\n\n\ufeffdata: b\n\n');
    const events = [0, 1, 2].flatMap((at) => framer.feed(stream.subarray(at, at + 1)));
    events.push(...framer.feed(stream.subarray(3)));
    expect(seen(events).map(({ data }) => data)).toEqual(['a', null]);
    expect(Buffer.concat(events.map(({ bytes }) => bytes)).equals(stream)).toBe(true);
  });

  it('hands over the rest at the end, read as if its blank line had come', () => {
    const framer = new SseFramer();
    feeds(framer, 'data: a\n\nevent: x\nda', 'ta: [DONE]');
    expect(framer.midEvent).toBe(true);
    expect(seen([framer.end()!])).toEqual([
      { kind: 'rest', bytes: 'event: x\ndata: [DONE]', data: '[DONE]', event: 'x' },
    ]);
    expect(framer.end()).toBeNull();
    expect(framer.midEvent).toBe(false);
  });

  it('gives nothing for an empty chunk', () => {
    expect(feeds(new SseFramer(), '')).toEqual([[]]);
  });

  it('passes an event longer than it may hold on raw, then frames on', () => {
    const framer = new SseFramer(16);
    const given = feeds(framer, 'data: 0123', '456789abc', 'def\r', '\ndata: x\r\n', '\r\ndata: y\n\n');
    expect(given).toEqual([
      [],
      [{ kind: 'overflow', bytes: 'data: 0123456789abc', data: null, event: null }],
      [{ kind: 'overflow', bytes: 'def\r', data: null, event: null }],
      [{ kind: 'overflow', bytes: '\ndata: x\r\n', data: null, event: null }],
      [
        { kind: 'overflow', bytes: '\r\n', data: null, event: null },
        { kind: 'event', bytes: 'data: y\n\n', data: 'y', event: null },
      ],
    ]);
    expect(framer.midOverflow).toBe(false);
  });

  it.each([
    ['data: 012345678\n\n', 'overflow'],
    ['data: 01234567\n\n', 'event'],
    ['data: 0123456\r\n\r\n', 'event'],
    ['data: 01234567\r\n\r\n', 'overflow'],
  ])('judges the length of %j alike in one chunk and in many', (stream, kind) => {
    for (const chunks of [[stream], Array.from(stream)]) {
      const [first] = feeds(new SseFramer(16), ...chunks).flat();
      expect(first!.kind).toBe(kind);
    }
  });

  it('holds a long event that comes byte by byte in linear time', () => {
    const framer = new SseFramer();
    const stream = Buffer.from(`data: ${'x'.repeat(500_000)}\n\n`);
    let events: SseEvent[] = [];
    for (let at = 0; at < stream.length; at++) events = framer.feed(stream.subarray(at, at + 1));
    expect(events).toHaveLength(1);
    expect(events[0]!.bytes.equals(stream)).toBe(true);
    expect(events[0]!.data).toHaveLength(500_000);
  });

  it('never lets the next event write into the bytes of one that it handed over', () => {
    const framer = new SseFramer();
    framer.feed(Buffer.from('data: '));
    const [first] = framer.feed(Buffer.from('a\n\ndata: '));
    framer.feed(Buffer.from('b\n\n'));
    expect(first!.bytes.toString()).toBe('data: a\n\n');
  });
});
