import { describe, expect, it } from '@jest/globals';
import { isAtWork, lastHeard } from './work-under-way.js';

const LIMIT_MS = 600_000;

describe('a listed node that leaves its probes unanswered', () => {
  const silentFor = (ms: number, acceptedMsAgo = Infinity): Parameters<typeof isAtWork> => [
    { heardAt: 1_000_000 - ms, acceptedAt: 1_000_000 - acceptedMsAgo, firstByteMs: LIMIT_MS },
    'accepts',
    1,
    1_000_000,
  ];

  it('is at work while an attempt is under way and its port accepts, up to the first-byte limit', () => {
    expect([0, LIMIT_MS - 1, LIMIT_MS].map((ms) => isAtWork(...silentFor(ms)))).toEqual([true, true, false]);
  });

  it('is not at work without an attempt', () => {
    const [node, port, , now] = silentFor(1000);
    expect(isAtWork(node, port, 0, now)).toBe(false);
  });

  it('is not at work when its port refuses, or answers with a fault', () => {
    const [node, , attempts, now] = silentFor(1000, 500);
    expect(isAtWork(node, 'other', attempts, now)).toBe(false);
  });

  it('is at work behind a full backlog only when its port accepted earlier in the same silence', () => {
    const isSo = ([node, , attempts, now]: Parameters<typeof isAtWork>): boolean =>
      isAtWork(node, 'unclear', attempts, now);
    expect(isSo(silentFor(1000, 500))).toBe(true);
    expect(isSo(silentFor(1000, 1500))).toBe(false);
    expect(isSo(silentFor(1000))).toBe(false);
  });
});

describe('what was heard at an endpoint', () => {
  it('is the last sign of any of its nodes', () => {
    expect(lastHeard([{ heardAt: 5 }, { heardAt: 7 }, { heardAt: 6 }])).toBe(7);
    expect(lastHeard([])).toBe(-Infinity);
  });
});
