import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseReader } from './sse.js';

const read = (...pieces: string[]): string[] => {
  const reader = new SseReader();
  return pieces.flatMap((piece) => reader.feed(piece)).map(({ type, data }) => `${type}:${data}`);
};

const STREAM =
  '\uFEFF: hello\r\n\r\ndata: one\r\n\r\ndata:two\ndata:  lines\n\nevent: error\rdata: {"a":"b: c"}\r\rid: 7\nretry: 5\n\ndata\n\ndata: never ended\n';
const EVENTS = ['message:one', 'message:two\n lines', 'error:{"a":"b: c"}', 'message:'];

describe('the reader of event streams', () => {
  it('knows all line ends, comments, several data lines and named events', () => {
    expect(read(STREAM)).toEqual(EVENTS);
  });

  it('reads the same however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 20 }), (cuts) => {
        const ends = [...new Set([0, ...cuts, STREAM.length])].sort((a, b) => a - b);
        const pieces = ends.slice(1).map((end, at) => STREAM.slice(ends[at], end));
        expect(read(...pieces)).toEqual(EVENTS);
      }),
    );
    expect(read(...Array.from(STREAM))).toEqual(EVENTS);
  });

  it('takes no CR and LF in two pieces for two line ends', () => {
    expect(read('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual(['message:a\nb']);
  });

  it('forgets the name of an event without data', () => {
    expect(read('event: x\n\ndata: a\n\n')).toEqual(['message:a']);
  });

  it('makes nothing of nothing', () => {
    expect(read('', '\n\n\n')).toEqual([]);
  });
});
