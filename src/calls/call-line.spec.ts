import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordMembers } from './call-line.js';
import type { AttemptNote, CallOutcome, CallRecord, RoutingNote, SampleNote } from './call-record.js';

/** Quotes, backslashes, control characters, halves of surrogate pairs. */
const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('\ud800', '\udfff"', 'a\\b', '"', '\u2028', '\u007f', ''),
);
const NUMBER = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 5e-324, 1e-7));
const MODE = fc.constantFrom<RoutingNote['mode'][]>(
  'scout',
  'exploit',
  'control',
  'pinned',
  'greedy-fallback',
);
const OUTCOME = fc.option(
  fc.constantFrom<CallOutcome[]>(
    ...(['completed', 'refused', 'busy', 'failed', 'misconfigured', 'timed_out'] as const),
    ...(['cut_off', 'abandoned', 'client_left'] as const),
  ),
);
const SAMPLE = fc.option(
  fc.constantFrom<SampleNote[]>('recorded', 'too_few_tokens', 'failed', 'client_slow', 'not_finite'),
);

const ATTEMPT = fc.record<AttemptNote>({
  ...{ signature: TEXT, mode: MODE, probability: NUMBER, outcome: OUTCOME, status: fc.option(NUMBER) },
  ...{ ms: fc.option(NUMBER), failed_node_id: fc.option(TEXT), cause: fc.option(TEXT) },
});
const WORK = fc.record({ node_id: TEXT, start_layer: NUMBER, end_layer: NUMBER, work_units: NUMBER });

const RECORD = fc.record<CallRecord>({
  request_id: TEXT,
  started_at: fc.constant('2026-05-04T10:20:30.400Z'),
  ...{ model: TEXT, stream: fc.boolean(), key_name: fc.option(TEXT) },
  routing: fc.option(fc.record({ mode: MODE, signature: TEXT, probability: NUMBER })),
  attempts: fc.array(ATTEMPT),
  ...{ outcome: OUTCOME, cause: fc.option(TEXT) },
  ...{ prompt_tokens: fc.option(NUMBER), completion_tokens: fc.option(NUMBER) },
  ...{ tokens_estimated: fc.boolean(), tps: fc.option(NUMBER), queued_ms: NUMBER },
  ...{ ttft_ms: fc.option(NUMBER), total_ms: fc.option(NUMBER), sample: SAMPLE },
  work_units: fc.array(WORK),
});

/** Of few values, so that many calls have the same. */
const FEW = fc.constantFrom('a', '"', '\ud800');
const FIGURE = fc.constantFrom(0, -0, NaN, 31);
const SIMILAR_ATTEMPT = fc.record<AttemptNote>({
  ...{ signature: FEW, mode: fc.constantFrom<RoutingNote['mode']>('scout', 'exploit'), probability: NUMBER },
  ...{ outcome: OUTCOME, status: fc.option(FIGURE), ms: fc.option(NUMBER) },
  ...{ failed_node_id: fc.option(FEW), cause: fc.option(FEW) },
});

describe('the line of a call', () => {
  it('is what JSON makes of its record, to the letter', () => {
    fc.assert(
      fc.property(RECORD, (record) => {
        expect(`{${recordMembers(record)}}`).toBe(JSON.stringify(record));
      }),
      { numRuns: 1000 },
    );
  });

  it('is that also where only some of it differs from the line before on the same route', () => {
    const attempt = SIMILAR_ATTEMPT;
    const unit = fc.record({ node_id: FEW, start_layer: FIGURE, end_layer: FIGURE, work_units: NUMBER });
    const usual = fc
      .record({ record: RECORD, attempt, unit, model: FEW, key_name: fc.option(FEW), probability: NUMBER })
      .map(({ record, attempt: note, unit: done, model, key_name, probability }): CallRecord => {
        const { signature, mode } = note;
        const routing = { mode, signature, probability };
        return {
          ...record,
          model,
          key_name,
          routing,
          attempts: [note],
          work_units: [done],
          cause: note.cause,
        };
      });
    fc.assert(
      fc.property(fc.array(usual, { minLength: 2, maxLength: 30 }), (records) => {
        for (const record of records) {
          for (let times = 0; times < 2; times += 1) {
            expect(`{${recordMembers(record)}}`).toBe(JSON.stringify(record));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is that on more routes than are remembered', () => {
    const [sample] = fc.sample(fc.record({ record: RECORD, attempt: ATTEMPT, unit: WORK }), 1);
    if (sample === undefined) throw new Error('no sample');
    for (let at = 0; at < 1000; at += 1) {
      const attempt = { ...sample.attempt, signature: `route ${String(at % 300)}` };
      const { signature, mode, probability } = attempt;
      const routing = { mode, signature, probability };
      const record = { ...sample.record, routing, attempts: [attempt], work_units: [sample.unit] };
      expect(`{${recordMembers(record)}}`).toBe(JSON.stringify(record));
    }
  });
});
