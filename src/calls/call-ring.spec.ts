import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime, type WordPage } from '../kernel/index.js';
import {
  NOTHING_CONSIDERED,
  type CandidateState,
  type Considered,
  type LeftOut,
  type Expectation,
} from '../routing/index.js';
import type { AttemptNote, CallOutcome, CallRecord, RoutingNote, SampleNote } from './call-record.js';
import { CallRing } from './call-ring.js';
import type { KeptCall } from './call-story.js';
import { Call, NOTHING_DONE } from './call.js';

interface Added {
  readonly kept: KeptCall;
  readonly beganAt: number;
}

function addedOf(requestId: string, beganAt = 0): Added {
  const call = new Call({ requestId, model: 'm', stream: false, at: 0, wallMs: beganAt });
  call.finished({ outcome: 'failed', ...NOTHING_DONE }, 1);
  return { kept: { record: call.record(1), choices: [] }, beganAt };
}

function add(ring: CallRing, ...calls: readonly Added[]): void {
  for (const { kept, beganAt } of calls) ring.add(kept, beganAt);
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('the ring of finished calls', () => {
  it('is empty at first', () => {
    const ring = new CallRing(3);
    expect([ring.size, [...ring.newestFirst()], ring.get('a')]).toEqual([0, [], null]);
  });

  it('keeps the newest, as many as it holds, newest first', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...IDS)), fc.integer({ min: 1, max: 5 }), (ids, capacity) => {
        const ring = new CallRing(capacity);
        const calls = ids.map((id, at) => addedOf(id, at));
        add(ring, ...calls);
        const kept = calls.slice(-capacity).reverse();
        expect([...ring.newestFirst()]).toEqual(kept.map((each) => each.kept.record));
        expect(ring.size).toBe(kept.length);
        for (const id of IDS) {
          expect(ring.get(id)).toEqual(kept.find((each) => each.kept.record.request_id === id)?.kept ?? null);
        }
      }),
    );
  });

  it('finds the newer of two calls under one id, also when the older one falls out', () => {
    const ring = new CallRing(2);
    const [older, newer] = [addedOf('same', 1), addedOf('same', 2)];
    add(ring, older, newer);
    expect(ring.get('same')).toEqual(newer.kept);
    add(ring, addedOf('other'));
    expect(ring.get('same')).toEqual(newer.kept);
    add(ring, addedOf('another'));
    expect(ring.get('same')).toBeNull();
  });

  it('gives calls back as they were, to the last bit, and their members in the same order', () => {
    fc.assert(
      fc.property(fc.array(ADDED, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (calls, capacity) => {
        const ring = new CallRing(capacity);
        add(ring, ...calls);
        const kept = calls.slice(-capacity).reverse();
        const records = kept.map((each) => each.kept.record);
        expect([...ring.newestFirst()]).toEqual(records);
        expect(JSON.stringify([...ring.newestFirst()])).toBe(JSON.stringify(records));
        for (const { record } of kept.map((each) => each.kept)) {
          const { request_id } = record;
          const newest = kept.find((each) => each.kept.record.request_id === request_id)?.kept;
          expect(ring.get(request_id)).toEqual(newest);
        }
      }),
    );
  });

  it('keeps calls of all lengths over many pages, each as long as it should', () => {
    const ring = new CallRing(100);
    const calls = Array.from({ length: 2000 }, (_, at) => wide(at, at % 701 === 0 ? 1500 : at % 7));
    for (const [at, call] of calls.entries()) {
      add(ring, call);
      if (at % 251 !== 0) continue;
      const kept = calls.slice(Math.max(0, at - 99), at + 1).reverse();
      expect([...ring.newestFirst()]).toStrictEqual(kept.map((each) => each.kept.record));
      for (const each of kept) expect(ring.get(each.kept.record.request_id)).toEqual(each.kept);
    }
  });
});

describe('what the ring of finished calls takes', () => {
  it('is bounded by the calls in it, however many there were', () => {
    const ring = new CallRing(1000);
    for (let at = 0; at < 50_000; at += 1) {
      const { kept, beganAt } = wide(at, 1);
      ring.add({ ...kept, record: { ...kept.record, model: `model ${String(at)}` } }, beganAt);
    }
    const { pages } = ring as unknown as { readonly pages: readonly WordPage[] };
    const held = new Set(pages);
    expect(pages).toHaveLength(1000);
    // Some 40 words a call, and a page that is not full.
    expect(held.size).toBeLessThanOrEqual(7);
    // A model of its own for each call, on pages that may begin with calls that are gone.
    let texts = 0;
    for (const page of held) for (let at = 0; page.textAt(at) !== ''; at += 1) texts += 1;
    expect(texts).toBeGreaterThan(1000);
    expect(texts).toBeLessThan(1500);
  });
});

/** A call of so many attempts, each with a candidate chosen from and one left out. */
function wide(at: number, attempts: number): Added {
  const { kept, beganAt } = addedOf(`id ${String(at)}`, at);
  const notes = Array.from({ length: attempts }, (_, n) => ({
    ...NOTE,
    ms: n,
    signature: `s${String(at % 9)}`,
  }));
  const choice = { eligible: [STATE], leftOut: [{ state: { ...STATE, mass: at }, reason: 'full' as const }] };
  return { kept: { record: { ...kept.record, attempts: notes }, choices: notes.map(() => choice) }, beganAt };
}

const NOTE: AttemptNote = {
  ...{ signature: 's', mode: 'scout', probability: 0.5, outcome: 'failed', status: null, ms: 1 },
  ...{ failed_node_id: 'w:n', cause: 'node_failed' },
};

const STATE: CandidateState = {
  ...{ signature: 's', hopCount: 1, priorTps: 2, status: 'proven', tps: 3, mass: 4 },
  ...{ scoutsInFlight: 5, barred: true, nothings: 0, steadiness: 1 },
};

const NUMBER = fc.double();
const COUNT = fc.integer({ min: 0, max: 60_000 });
const NOTHINGS = fc.constantFrom(0, 0, 1, 7);
const STEADINESS = fc.constantFrom(1, 1, 0.5, 1e-9);
/** UTF-16 as it comes, half a pair as well. */
const ANY_TEXT = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const TEXT = fc.oneof(fc.constantFrom('', 'a', 'null', 'ü', '\u{1f600}', '\ud800', '\0'), ANY_TEXT);
const MODE = fc.constantFrom<RoutingNote['mode']>(
  ...(['scout', 'exploit', 'control', 'pinned', 'greedy-fallback'] as const),
);
const OUTCOME = fc.constantFrom<CallOutcome>('completed', 'refused', 'client_left', 'abandoned');

const EXPECTED = fc.record<Expectation, 'seconds' | 'harmSeconds' | 'optimisticSeconds' | 'inFlight'>(
  {
    ...{ seconds: NUMBER, harmSeconds: NUMBER, optimisticSeconds: fc.option(NUMBER), inFlight: COUNT },
    ...{ shownSeconds: NUMBER, nodeLoads: fc.array(COUNT, { maxLength: 9 }) },
  },
  { requiredKeys: ['seconds', 'harmSeconds', 'optimisticSeconds', 'inFlight'] },
);

const PLAIN_CANDIDATE: fc.Arbitrary<CandidateState> = fc.record({
  ...{ signature: TEXT, hopCount: COUNT, priorTps: NUMBER, tps: fc.option(NUMBER), mass: NUMBER },
  status: fc.constantFrom<CandidateState['status']>('proven', 'unsampled', 'stale', 'decayed'),
  ...{ scoutsInFlight: COUNT, barred: fc.boolean(), nothings: NOTHINGS, steadiness: STEADINESS },
});
const CANDIDATE: fc.Arbitrary<CandidateState> = fc
  .tuple(PLAIN_CANDIDATE, fc.option(EXPECTED))
  .map(([state, expected]) => (expected === null ? state : { ...state, expected }));

/** Shares are kept where candidates are not; a candidate then has one. */
function lessThanAll(whole: Considered, more: number, value: number): Considered {
  const shares = whole.eligible.map((_, at) => value / (at + 1));
  return { ...whole, shares, moreEligible: more, moreLeftOut: more + 1 };
}

const CONSIDERED: fc.Arbitrary<Considered> = fc.oneof(
  fc.constant(NOTHING_CONSIDERED),
  fc
    .tuple(fc.array(PLAIN_CANDIDATE, { minLength: 1 }), COUNT, NUMBER)
    .map(([eligible, more, value]) => lessThanAll({ eligible, leftOut: [] }, more + 1, value)),
  fc.record({
    eligible: fc.array(CANDIDATE),
    leftOut: fc.array(
      fc.record({
        state: CANDIDATE,
        reason: fc.constantFrom<LeftOut['reason']>('breaker_open', 'full', 'resting'),
      }),
    ),
  }),
);

const ATTEMPT: fc.Arbitrary<AttemptNote> = fc.record({
  ...{ signature: TEXT, mode: MODE, probability: NUMBER, outcome: fc.option(OUTCOME) },
  ...{ status: fc.option(NUMBER), ms: fc.option(NUMBER) },
  ...{ failed_node_id: fc.option(TEXT), cause: fc.option(TEXT) },
});

const RECORD: fc.Arbitrary<Omit<CallRecord, 'started_at'>> = fc.record({
  ...{ model: TEXT, stream: fc.boolean(), key_name: fc.option(TEXT) },
  routing: fc.option(fc.record({ mode: MODE, signature: TEXT, probability: NUMBER })),
  attempts: fc.array(ATTEMPT),
  ...{ outcome: fc.option(OUTCOME), cause: fc.option(TEXT) },
  ...{ prompt_tokens: fc.option(NUMBER), completion_tokens: fc.option(NUMBER) },
  ...{ tokens_estimated: fc.boolean(), tps: fc.option(NUMBER), queued_ms: NUMBER },
  ...{ ttft_ms: fc.option(NUMBER), total_ms: fc.option(NUMBER) },
  sample: fc.option(fc.constantFrom<SampleNote>('recorded', 'too_few_tokens')),
  work_units: fc.array(
    fc.record({ node_id: TEXT, start_layer: NUMBER, end_layer: NUMBER, work_units: NUMBER }),
  ),
  request_id: fc.oneof(fc.constantFrom(...IDS), TEXT),
});

const ADDED: fc.Arbitrary<Added> = fc
  .record({
    record: RECORD,
    choices: fc.array(CONSIDERED, { maxLength: 4 }),
    beganAt: fc.double({ min: 0, max: 4e12, noNaN: true }),
  })
  .map(({ record: { request_id, ...rest }, choices, beganAt }) => {
    return { kept: { record: { request_id, started_at: isoTime(beganAt), ...rest }, choices }, beganAt };
  });
