import { describe, expect, it } from '@jest/globals';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { Heartbeat, isPlainHeartbeat } from './index.js';

const ODD = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    '1',
    '',
    [],
    {},
    NaN,
    Infinity,
    -0,
    -1,
    1e9,
    1e9 + 1,
    Number.MIN_VALUE,
  ),
  fc.double(),
  fc.integer({ min: 0, max: 1e9 }),
);
const STATUS = fc.oneof(fc.constantFrom('ready', 'draining', 'READY'), ODD);
const BODY = fc.record(
  { queue_depth: ODD, throughput_tps: ODD, status: STATUS, more: fc.anything() },
  { requiredKeys: [] },
);

describe('a plain heartbeat', () => {
  it('is whatever object the class would let pass, and nothing else', () => {
    fc.assert(
      fc.property(BODY, (body) => {
        const faults = validateSync(Object.assign(new Heartbeat(), body));
        expect(isPlainHeartbeat(body)).toBe(faults.length === 0);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([null, undefined, 'ready', 7, true, [], [{ queue_depth: 1 }]])('is never %j', (body) => {
    expect(isPlainHeartbeat(body)).toBe(false);
  });
});
