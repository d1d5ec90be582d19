import { describe, expect, it } from '@jest/globals';
import { readEndpoint, readNumber, readText } from './readers.js';

describe('readNumber', () => {
  it.each([
    ['0', 0],
    ['-0.5', -0.5],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E-3', 0.001],
  ])('reads %s', (text, value) => {
    expect(readNumber(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '0x10',
    '1,5',
    '1 000',
    '1e309',
    '-1e309',
    'Infinity',
    'NaN',
    '.',
    'e5',
    '1e',
    '--1',
    '1_0',
  ])('cannot read %j', (text) => {
    expect(readNumber(text)).toBeUndefined();
  });
});

describe('readText', () => {
  it('takes a text as it is', () => {
    expect(readText('a b')).toBe('a b');
  });
});

describe('readEndpoint', () => {
  it('spells an endpoint as all rooms do, and cannot read what is none', () => {
    expect(readEndpoint('http://h:8000/v1/')).toBe('http://h:8000');
    expect(readEndpoint('h:8000')).toBeUndefined();
  });

  it('hides no fault of our own behind one of the operator', () => {
    expect(() => readEndpoint(Symbol('no text') as unknown as string)).toThrow(TypeError);
  });
});
