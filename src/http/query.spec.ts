import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from '../kernel/index.js';
import { queryCount, queryName, queryNumber, queryText } from './index.js';

describe('queryText', () => {
  it('gives the text, and null where there is none', () => {
    expect(queryText('Qwen/Qwen3', 'model')).toBe('Qwen/Qwen3');
    expect(queryText('', 'model')).toBe('');
    expect(queryText(undefined, 'model')).toBeNull();
  });

  it.each([[['a', 'b']], [{ a: 'b' }], [null]])('refuses %j, naming the parameter', (value) => {
    const refused = (): unknown => queryText(value, 'model');
    expect(refused).toThrow(InvalidRequestError);
    expect(refused).toThrow(expect.objectContaining({ param: 'model' }));
  });
});

describe('a count in the query', () => {
  const read = (value: unknown): number => queryCount(value, 'limit', { byDefault: 7, most: 20 });

  it('is a whole number from 1 to the most, or its default', () => {
    expect(['1', '20', '007', undefined].map(read)).toEqual([1, 20, 7, 7]);
  });

  it.each(['0', '21', '-1', '1.5', '1e1', ' 1', '', 'all', '99999999999999999999', ['1', '2'], { a: '1' }])(
    'is nothing else: %j',
    (value) => {
      expect(() => read(value)).toThrow(InvalidRequestError);
    },
  );
});

describe('a number in the query', () => {
  const read = (value: unknown): number | null => queryNumber(value, 'share', { least: 0, most: 16 });

  it('is a decimal one within its range, or null', () => {
    expect(['0', '0.25', '16', '016.0', undefined].map(read)).toEqual([0, 0.25, 16, 16, null]);
  });

  it('may have any number of digits, an exponent, a sign, and no digit on one side of its point', () => {
    expect(['0.6942558138517759', '.5', '5.', '1e-1', '1E1', '+0.5'].map(read)).toEqual([
      0.6942558138517759, 0.5, 5, 0.1, 10, 0.5,
    ]);
  });

  it.each([
    '-0.1',
    '16.1',
    '1e2',
    '1e309',
    '1,5',
    '',
    ' 1',
    'NaN',
    'Infinity',
    '0x1',
    ['1', '2'],
    { a: '1' },
  ])('is nothing else: %j', (value) => {
    expect(() => read(value)).toThrow(InvalidRequestError);
  });
});

describe('a name in the query', () => {
  const read = (value: unknown): string | null => queryName(value, 'policy', ['one', 'other']);

  it('is one of those known, or null', () => {
    expect(['one', 'other', undefined].map(read)).toEqual(['one', 'other', null]);
  });

  it.each(['', 'One', 'one,other', ['one', 'other']])('is nothing else: %j', (value) => {
    expect(() => read(value)).toThrow(InvalidRequestError);
  });

  it('is told by what is known, and never repeated', () => {
    expect(() => read('canary')).toThrow('policy must be one of one, other.');
  });
});
