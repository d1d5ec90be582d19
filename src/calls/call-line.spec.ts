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

describe('the line of a call', () => {
  it('is what JSON makes of its record, to the letter', () => {
    fc.assert(
      fc.property(RECORD, (record) => {
        expect(`{${recordMembers(record)}}`).toBe(JSON.stringify(record));
      }),
      { numRuns: 1000 },
    );
  });
});
