import { describe, expect, it } from '@jest/globals';
import { aFinishedAttempt, aFinishedCall, aProven, MODEL } from '../../test/support/builders.js';
import type { FinishedCall } from '../kernel/index.js';
import type { Considered } from '../routing/index.js';
import { loggedCall, type LoggedCall, type Standing } from './logged-call.js';

const SIGNATURE = `${MODEL}|w:all[0-0]`;
const considered: Considered = { eligible: [aProven(SIGNATURE, 10)], leftOut: [] };

function logged(call: Partial<FinishedCall> = {}, from: Considered | undefined = considered): LoggedCall {
  const found = loggedCall(aFinishedCall({ attempts: [aFinishedAttempt()], ...call }), from, 9000);
  if (found === null) throw new Error('it should be logged');
  return found;
}

describe('a logged call', () => {
  it('has what its route was chosen from, with what probability, and what came of it', () => {
    const attempts = [aFinishedAttempt({ probability: 0.25, ms: 2000 })];
    expect(logged({ attempts, completion_tokens: 40 })).toEqual({
      ...{ model: MODEL, endedAt: 9000, standing: 'counted', seconds: 2, tokens: 40, probability: 0.25 },
      ...{ signature: SIGNATURE, candidates: considered.eligible, lastSignature: SIGNATURE, lastMs: 2000 },
    });
  });

  it('is charged to its first choice with all attempts that this brought about', () => {
    const other = `${MODEL}|other:all[0-0]`;
    const attempts = [
      aFinishedAttempt({ outcome: 'failed', ms: 3000, probability: 0.5 }),
      aFinishedAttempt({ signature: other, ms: 1000, probability: 1 }),
    ];
    const call = logged({ attempts, queued_ms: 700, total_ms: 4700 });
    expect(call).toMatchObject({ signature: SIGNATURE, probability: 0.5, seconds: 4 });
    expect(call).toMatchObject({ lastSignature: other, lastMs: 1000, standing: 'counted' });
  });

  it('takes a moment, even by a clock that saw none pass', () => {
    expect(logged({ attempts: [aFinishedAttempt({ ms: 0 })] }).seconds).toBeGreaterThan(0);
  });

  it.each<[Standing, Partial<FinishedCall>]>([
    ['failed', { outcome: 'failed', sample: 'failed' }],
    ['failed', { outcome: 'timed_out', sample: 'failed' }],
    ['failed', { outcome: null, sample: null }],
    ['client_left', { outcome: 'client_left', sample: 'client_left' }],
    ['no_sample', { sample: 'too_few_tokens' }],
    ['no_sample', { sample: 'client_slow' }],
    ['not_chosen', { attempts: [aFinishedAttempt({ mode: 'pinned' })] }],
    ['not_chosen', { attempts: [aFinishedAttempt({ mode: 'greedy-fallback' })] }],
  ])('is %s where %j, and keeps no candidates then', (standing, call) => {
    expect(logged(call)).toMatchObject({ standing, candidates: [], tokens: 0 });
  });

  it('is of no use to a replay where not all candidates were kept; its speed is', () => {
    const some: Considered = { ...considered, shares: [0.5], moreEligible: 3 };
    expect(logged({ completion_tokens: 40 }, some)).toMatchObject({
      ...{ standing: 'not_all_kept', candidates: [], tokens: 40 },
    });
    expect(logged({}, { ...considered, moreLeftOut: 3 }).standing).toBe('counted');
  });

  it.each(['scout', 'exploit', 'control'])('is counted where the policy chose by mode %s', (mode) => {
    expect(logged({ attempts: [aFinishedAttempt({ mode })] }).standing).toBe('counted');
  });

  it('is not chosen where nothing is known of its candidates', () => {
    expect(loggedCall(aFinishedCall({ attempts: [aFinishedAttempt()] }), undefined, 0)).toMatchObject({
      standing: 'not_chosen',
    });
  });

  it('is none without a route', () => {
    expect(loggedCall(aFinishedCall({ attempts: [] }), considered, 0)).toBeNull();
  });
});
