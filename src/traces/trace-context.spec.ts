import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { passedOn, readTraceContext, RANDOM_ID, SAMPLED, traceHeaders } from './trace-context.js';

const TRACE = 'c06cf318336b962d301830897fffe8b5';
const SPAN = '1d0c7e92af3b5846';
const SOUND = `00-${TRACE}-${SPAN}-01`;

describe('a traceparent', () => {
  it('says which trace a request belongs to, who called, and whether it is kept', () => {
    const context = readTraceContext(SOUND, undefined);
    expect(context).toEqual({ traceId: TRACE, parentId: SPAN, flags: SAMPLED, state: null });
    expect(readTraceContext(`00-${TRACE}-${SPAN}-02`, undefined)?.flags).toBe(RANDOM_ID);
  });

  it.each([
    ['no text at all', undefined],
    ['empty', ''],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['an unreadable version', `0x-${TRACE}-${SPAN}-01`],
    ['upper case', SOUND.toUpperCase()],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span', `00-${TRACE}-${SPAN}0-01`],
    ['one flag digit', `00-${TRACE}-${SPAN}-1`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['more than this version has', `${SOUND}-more`],
    ['several headers, joined as node:http does', `${SOUND}, ${SOUND}`],
    ['blanks', ` ${SOUND}`],
    ['a line break', `${SOUND}\n`],
  ])('is none with %s, and takes its tracestate along', (_, traceparent) => {
    expect(readTraceContext(traceparent, 'a=1')).toBeNull();
    expect(passedOn(traceparent, 'a=1')).toEqual({});
  });

  it('is none when it is a list', () => {
    expect(readTraceContext([SOUND], 'a=1')).toBeNull();
  });

  it('of a later version is read as far as this one goes, and passed on as it came', () => {
    for (const traceparent of [`01-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-what-comes`]) {
      expect(readTraceContext(traceparent, undefined)).toMatchObject({ traceId: TRACE, parentId: SPAN });
      expect(passedOn(traceparent, undefined)).toEqual({ traceparent });
    }
    expect(readTraceContext(`01-${TRACE}-${SPAN}-01.x`, undefined)).toBeNull();
  });

  it('that is written is read as it was meant', () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${String(length)}}$`)).filter((text) => /[^0]/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 3 }), (traceId, parentId, flags) => {
        const { traceparent, tracestate } = traceHeaders(traceId, parentId, flags, 'a=1');
        expect(readTraceContext(traceparent, tracestate)).toEqual({ traceId, parentId, flags, state: 'a=1' });
      }),
    );
    expect(traceHeaders(TRACE, SPAN, 1, null)).toEqual({ traceparent: SOUND });
  });
});

describe('a tracestate', () => {
  const stateOf = (tracestate: string): string | null => readTraceContext(SOUND, tracestate)?.state ?? null;

  it.each(['a=1', 'left=1d0c7e92,right=Zm9v', 'a=1, b=2 ,,c=3,', '9tenant-1@sys=FfD', '0tenant@sys=v'])(
    'goes along as it came: %s',
    (tracestate) => {
      expect(stateOf(tracestate)).toBe(tracestate);
      expect(passedOn(SOUND, tracestate)).toEqual({ traceparent: SOUND, tracestate });
    },
  );

  it.each(['', ',', 'a', '=1', 'a=', 'A=1', 'a b=1', 'a=b=c', 'a=é', 'a=1,a=2', 'a=1,b', '@s=1', 'a@0s=1'])(
    'that breaks the rules is dropped alone: %j',
    (tracestate) => {
      expect(stateOf(tracestate)).toBeNull();
      expect(passedOn(SOUND, tracestate)).toEqual({ traceparent: SOUND });
    },
  );

  it('may have 32 members, and 256 characters in a key or a value', () => {
    const members = (count: number): string =>
      Array.from({ length: count }, (_, at) => `k${String(at)}=1`).join();
    for (const fits of [members(32), `${'k'.repeat(256)}=v`, `a=${'v'.repeat(256)}`])
      expect(stateOf(fits)).toBe(fits);
    for (const exceeds of [members(33), `${'k'.repeat(257)}=v`, `a=${'v'.repeat(257)}`])
      expect(stateOf(exceeds)).toBeNull();
  });

  it('without a traceparent is none', () => {
    expect(passedOn(undefined, 'a=1')).toEqual({});
  });
});
