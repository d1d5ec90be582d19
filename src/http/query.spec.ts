import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from '../kernel/index.js';
import { queryText } from './index.js';

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
