import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readDecimal } from './index.js';

describe('a decimal number', () => {
  it.each([
    ['0', 0],
    ['-0.5', -0.5],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E-3', 0.001],
    ['0.6942558138517759', 0.6942558138517759],
    ['00000000000000000000.5', 0.5],
  ])('is read from %s', (text, value) => {
    expect(readDecimal(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    '0b1',
    '1,5',
    '1 000',
    '1e309',
    '-1e309',
    'Infinity',
    'NaN',
    '.',
    '+',
    'e5',
    '1e',
    '1e+',
    '--1',
    '1_0',
    '1n',
    '١',
  ])('is not read from %j', (text) => {
    expect(readDecimal(text)).toBeUndefined();
  });

  it('is read from every spelling that JavaScript gives a finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const texts = [String(value), value.toExponential()];
        return texts.every((text) => readDecimal(text) === Number(text));
      }),
    );
  });

  it('is refused in time that grows with the length of the text alone', () => {
    const digits = '1'.repeat(300_000);
    const began = performance.now();
    expect(readDecimal(`${digits}x`)).toBeUndefined();
    expect(readDecimal(`.${digits}e${digits}x`)).toBeUndefined();
    // Milliseconds; time that grows with the square would be over a minute.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
