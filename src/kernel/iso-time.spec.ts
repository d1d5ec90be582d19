import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime } from './iso-time.js';

describe('a moment as text', () => {
  it('is as Date writes it, whatever moment was asked for before', () => {
    const moments = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1000, max: 3000 })),
    );
    fc.assert(
      fc.property(moments, (all) => {
        for (const wallMs of all) expect(isoTime(wallMs)).toBe(new Date(wallMs).toISOString());
      }),
    );
  });

  it('leaves out parts of a millisecond', () => {
    expect(isoTime(1999.9)).toBe('1970-01-01T00:00:01.999Z');
  });
});
