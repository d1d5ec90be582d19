import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from '../kernel/index.js';
import { queryCount, queryText } from './index.js';

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
