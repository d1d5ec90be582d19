import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeSample, tokensPerSecond, type CallFacts } from './index.js';

const FACTS: CallFacts = {
  ending: 'completed',
  completionTokens: 100,
  isEstimated: false,
  elapsedMs: 5000,
  heldUpMs: 0,
};
const MIN_TOKENS = 8;

function judge(stated: Partial<CallFacts>): unknown {
  return judgeSample({ ...FACTS, ...stated }, MIN_TOKENS);
}

function rejected(reason: string): object {
  return { kind: 'rejected', reason };
}

describe('judging a sample', () => {
  it('takes a completed answer as tokens over time', () => {
    expect(judge({})).toEqual({ kind: 'sample', tps: 20, weight: 1 });
  });

  it('takes an estimated count for six tenths of a sample', () => {
    expect(judge({ isEstimated: true })).toEqual({ kind: 'sample', tps: 20, weight: 0.6 });
  });

  it.each(['failed', 'cut_off', 'client_left'] as const)(
    'rejects what ended %s, before all else',
    (ending) => {
      expect(judge({ ending })).toEqual(rejected(ending));
      expect(judge({ ending, completionTokens: 0, heldUpMs: 5000, elapsedMs: NaN })).toEqual(
        rejected(ending),
      );
    },
  );

  it('rejects the one-token garbage and everything below the least number of tokens', () => {
    expect(judge({ completionTokens: 1 })).toEqual(rejected('too_few_tokens'));
    expect(judge({ completionTokens: 7 })).toEqual(rejected('too_few_tokens'));
    expect(judge({ completionTokens: 8 })).toMatchObject({ kind: 'sample' });
    expect(judgeSample({ ...FACTS, completionTokens: 1 }, 1)).toMatchObject({ kind: 'sample' });
  });

  it('is neutral about an answer without tokens, such as a tool call without usage', () => {
    expect(judge({ completionTokens: 0 })).toEqual(rejected('too_few_tokens'));
    expect(judge({ completionTokens: -5 })).toEqual(rejected('too_few_tokens'));
  });

  it('rejects what the client held up for over a tenth of the time', () => {
    expect(judge({ heldUpMs: 500 })).toMatchObject({ kind: 'sample' });
    expect(judge({ heldUpMs: 501 })).toEqual(rejected('client_slow'));
  });

  it('counts no time at all, and a clock that steps back, as one millisecond', () => {
    expect(judge({ elapsedMs: 0, completionTokens: 500 })).toEqual({
      kind: 'sample',
      tps: 500_000,
      weight: 1,
    });
    expect(judge({ elapsedMs: 0.25, completionTokens: 8 })).toEqual({ kind: 'sample', tps: 8000, weight: 1 });
    expect(judge({ elapsedMs: -40, completionTokens: 8 })).toEqual({ kind: 'sample', tps: 8000, weight: 1 });
  });

  it.each([
    { completionTokens: Infinity },
    { completionTokens: NaN },
    { completionTokens: 1e308 },
    { elapsedMs: NaN },
    { completionTokens: Infinity, elapsedMs: Infinity },
  ])('rejects what gives no finite speed: %j', (facts) => {
    expect(judge(facts)).toEqual(rejected('not_finite'));
  });

  it('gives a finite positive speed or a reason, whatever it is told', () => {
    const anything = fc.record({
      ending: fc.constantFrom('completed', 'failed', 'cut_off', 'client_left'),
      completionTokens: fc.double(),
      isEstimated: fc.boolean(),
      elapsedMs: fc.double(),
      heldUpMs: fc.double(),
    }) as fc.Arbitrary<CallFacts>;
    fc.assert(
      fc.property(anything, (facts) => {
        const verdict = judgeSample(facts, MIN_TOKENS);
        if (verdict.kind === 'rejected') return;
        expect(facts.ending).toBe('completed');
        expect(facts.completionTokens).toBeGreaterThanOrEqual(MIN_TOKENS);
        expect(Number.isFinite(verdict.tps)).toBe(true);
        expect(verdict.tps).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('tokensPerSecond', () => {
  it('is null where there is no number to tell', () => {
    expect(tokensPerSecond(10, 2000)).toBe(5);
    expect(tokensPerSecond(0, 0)).toBe(0);
    expect(tokensPerSecond(NaN, 5)).toBeNull();
    expect(tokensPerSecond(5, NaN)).toBeNull();
    expect(tokensPerSecond(Infinity, 5)).toBeNull();
  });
});
