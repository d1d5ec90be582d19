import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { base58, fromBase58 } from './index.js';

const DIGITS = Array.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
/** The vectors of the Internet-Draft "The Base58 Encoding Scheme", and of Bitcoin's own tests. */
const KNOWN = [
  ['', ''],
  ['00', '1'],
  ['61', '2g'],
  ['626262', 'a3gV'],
  ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
  ['0000287fb4cd', '11233QC4'],
  ['516b6fcd0f', 'ABnLTmg'],
  ['00000000000000000000', '1111111111'],
  ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
] as const;

describe('base58', () => {
  it.each(KNOWN)('writes %s as %s, and reads it', (hex, text) => {
    expect(base58(Buffer.from(hex, 'hex'))).toBe(text);
    expect(Buffer.from(fromBase58(text) ?? 'none').toString('hex')).toBe(hex);
  });

  it('reads what it wrote, and writes what it read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 48 }), (bytes) => {
        expect([...(fromBase58(base58(bytes)) ?? [])]).toEqual([...bytes]);
      }),
    );
    const digit = fc.constantFrom(...DIGITS);
    fc.assert(
      fc.property(fc.string({ unit: digit, maxLength: 64 }), (text) => {
        expect(base58(fromBase58(text) ?? Buffer.alloc(0))).toBe(text);
      }),
    );
  });

  it.each(['0', 'O', 'I', 'l', 'a b', '2g=', 'ä', '-'])('does not read %j', (text) => {
    expect(fromBase58(text)).toBeNull();
  });
});
