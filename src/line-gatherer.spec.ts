import { beforeEach, describe, expect, it } from '@jest/globals';
import { LineGatherer, MOST_GATHERED_BYTES } from './line-gatherer.js';

let said: string[];
let gatherer: LineGatherer;
beforeEach(() => {
  said = [];
  gatherer = new LineGatherer({
    write: (lines) => void said.push(lines.toString()),
    flush: () => void said.push('flushed'),
  });
});

describe('the gatherer of lines', () => {
  it('hands lines over together and in their order', () => {
    for (const line of ['a\n', 'ü\n', '€\n']) gatherer.add(line);
    expect(said).toEqual([]);
    gatherer.flush();
    expect(said).toEqual(['a\nü\n€\n', 'flushed']);
    gatherer.flush();
    expect(said).toEqual(['a\nü\n€\n', 'flushed', 'flushed']);
  });

  it('has them written when there are many', () => {
    const line = `${'x'.repeat(999)}\n`;
    for (let times = 0; times < 31; times += 1) gatherer.add(line);
    expect(said).toEqual([line.repeat(15), 'flushed', line.repeat(15), 'flushed']);
  });

  it('leaves the last of them, in whatever script, to whoever ends the stream', () => {
    for (let times = 0; times < 14; times += 1) gatherer.add('€'.repeat(1000));
    gatherer.handOver();
    gatherer.handOver();
    expect(said).toEqual(['€'.repeat(14_000)]);
    expect(Buffer.byteLength(said.join(''))).toBeLessThan(MOST_GATHERED_BYTES);
  });
});
