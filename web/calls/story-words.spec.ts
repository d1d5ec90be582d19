import { describe, expect, it } from '@jest/globals';
import type { RouteMode } from '../api/types.js';
import { aCall, aConsidered, anAttempt, anOpenCall } from './example-calls.js';
import { attemptBars, candidateNote, decisionSentence, timeParts } from './story-words.js';

const FAST = aConsidered();
const NEW = aConsidered({
  signature: 'm|w.new:all[0-0]',
  status: 'unsampled',
  tps: null,
  traffic_share: 0.3,
});

describe('why a route was chosen', () => {
  it('is said of a scout with what was missing, and how many chats scout', () => {
    const scout = anAttempt({ mode: 'scout', probability: 0.3, signature: NEW.signature });
    expect(decisionSentence({ ...scout, candidates: [FAST, NEW] })).toBe(
      'Scout: this route was not proven (it had no sample yet) and had the least evidence. 30 % of chats scout.',
    );
    expect(decisionSentence({ ...scout, candidates: [FAST, { ...NEW, status: 'stale' }] })).toMatch(
      /before the mesh changed/,
    );
  });

  it('is said of a scout where nothing was proven, or what was proven was left out', () => {
    const scout = anAttempt({ mode: 'scout', probability: 1, signature: NEW.signature });
    expect(decisionSentence({ ...scout, candidates: [NEW] })).toMatch(/no route was proven/);
    const full = aConsidered({ left_out: 'full' });
    expect(decisionSentence({ ...scout, candidates: [full, NEW] })).toMatch(/no route was proven/);
  });

  it('is said of an exploit with its chance among how many', () => {
    const exploit = anAttempt({ mode: 'exploit', probability: 0.42 });
    expect(
      decisionSentence({ ...exploit, candidates: [FAST, aConsidered({ signature: 'b' }), NEW] }),
    ).toMatch(/among 2 proven routes, .* 42 %\.$/);
    expect(decisionSentence({ ...exploit, candidates: [FAST] })).toMatch(/the only route that was proven/);
    expect(decisionSentence({ ...exploit, candidates: [FAST], candidates_not_kept: 3 })).toMatch(
      /among the proven routes/,
    );
    expect(decisionSentence(exploit)).toMatch(/among the proven routes/);
  });

  it('is said of pins and fallbacks, and of a scout of which no candidates are told', () => {
    expect(decisionSentence(anAttempt({ mode: 'pinned' }))).toMatch(/the client named this route/);
    expect(decisionSentence(anAttempt({ mode: 'greedy-fallback' }))).toMatch(/breaker is open/);
    expect(decisionSentence(anAttempt({ mode: 'scout', probability: 0.3 }))).toMatch(/not proven and had/);
    expect(decisionSentence(anAttempt({ mode: 'guess' as RouteMode }))).toMatch(/^Chosen as guess/);
  });

  it('tells what kept a candidate from being chosen', () => {
    expect(candidateNote(FAST)).toBe('');
    expect(candidateNote(aConsidered({ left_out: 'breaker_open', barred: true }))).toMatch(/breaker is open/);
    expect(candidateNote(aConsidered({ left_out: 'resting' }))).toMatch(/asked for rest/);
    expect(candidateNote(aConsidered({ left_out: 'full' }))).toMatch(/full/);
    expect(candidateNote(aConsidered({ barred: true }))).toMatch(/no scouts/);
    expect(candidateNote(aConsidered({ scouts_in_flight: 1 }))).toBe('a scout was under way');
    expect(candidateNote(aConsidered({ scouts_in_flight: 2 }))).toBe('2 scouts were under way');
  });
});

describe("a call's time", () => {
  const kinds = (call: Parameters<typeof timeParts>[0]) =>
    timeParts(call).map(({ kind, ms }) => [kind, ms] as const);

  it('is parted into queue, failed attempts, first token and answer, which add up', () => {
    const call = aCall({
      ...{ queued_ms: 100, ttft_ms: 700, total_ms: 2000 },
      attempts: [anAttempt({ ms: 400 }), anAttempt({ ms: 1500 })],
    });
    expect(kinds(call)).toEqual([
      ['queued', 100],
      ['tried', 400],
      ['waiting', 200],
      ['answering', 1300],
    ]);
    expect(timeParts(call).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('is all waiting where no token came', () => {
    expect(kinds(aCall({ ttft_ms: null, total_ms: 500 }))).toEqual([['waiting', 500]]);
  });

  it('of an open call is told up to now', () => {
    expect(kinds(anOpenCall({ queued_ms: 500, age_ms: 500 }))).toEqual([['queued', 500]]);
  });

  it('never exceeds the whole, whatever the parts say', () => {
    expect(kinds(aCall({ queued_ms: 900, ttft_ms: 100, total_ms: 500 }))).toEqual([['queued', 500]]);
    expect(timeParts(aCall({ total_ms: 0 }))).toEqual([]);
  });

  it('puts attempts one after the other, the one under way up to now', () => {
    const call = anOpenCall({
      ...{ queued_ms: 100, age_ms: 1000 },
      attempts: [anAttempt({ ms: 400 }), anAttempt({ ms: null })],
    });
    expect(attemptBars(call)).toEqual([
      { from: 0.1, width: 0.4 },
      { from: 0.5, width: 0.5 },
    ]);
    expect(attemptBars(aCall({ total_ms: 0 }))).toEqual([{ from: 0, width: 0 }]);
  });
});
