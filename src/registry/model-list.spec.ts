import { describe, expect, it } from '@jest/globals';
import { readModelList } from './model-list.js';

describe('a list of models', () => {
  it('names each model once, in its order', () => {
    const answer = { data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }, { id: '' }, null, 7, {}] };
    expect(readModelList(answer)?.ids).toEqual(['b', 'a']);
  });

  it.each([null, 'x', [], {}, { data: {} }, { data: null }])('is not %j', (answer) => {
    expect(readModelList(answer)).toBeNull();
  });

  it.each([
    ['vLLM and SGLang', { max_model_len: 4096 }],
    ['OpenRouter and llama-swap', { context_length: 4096 }],
    ['Groq', { context_window: 4096 }],
    ['LM Studio', { loaded_context_length: 4096, max_context_length: 131_072 }],
    ['llama.cpp', { meta: { n_ctx: 4096, n_ctx_train: 8192 } }],
  ])('tells the length of the context as %s do', (_who, fields) => {
    expect(readModelList({ data: [{ id: 'm', ...fields }] })?.contextTokens.get('m')).toBe(4096);
  });

  it.each([0, -1, 1.5, '4096', null, 1e300])('takes %j for no length', (length) => {
    expect(readModelList({ data: [{ id: 'm', max_model_len: length }] })?.contextTokens.size).toBe(0);
  });
});
