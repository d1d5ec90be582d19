import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judge, type RefusalFacts } from './judge.js';

function judged(stated: Partial<RefusalFacts> & { readonly status: number }): string {
  return judge({ headers: {}, message: null, path: '/v1/chat/completions', ...stated });
}

describe('whose doing an answer is', () => {
  it.each([400, 402, 405, 406, 408, 409, 410, 413, 415, 418, 422, 451, 499])('%i: the client’s', (status) => {
    expect(judged({ status })).toBe('refused');
  });

  it.each([500, 501, 502, 504, 507, 529, 599, 301, 304, 199])('%i: the node’s', (status) => {
    expect(judged({ status })).toBe('failed');
  });

  it.each([401, 403])('%i: that of a node which refuses the tracker', (status) => {
    expect(judged({ status })).toBe('misconfigured');
  });

  it('508: nobody’s where a tracker says that the chat has been there, else the node’s', () => {
    expect(judged({ status: 508, headers: { 'x-meshnet-tracker': 'meshnet-x' } })).toBe('busy');
    expect(judged({ status: 508 })).toBe('failed');
    expect(judged({ status: 500, headers: { 'x-meshnet-tracker': 'meshnet-x' } })).toBe('failed');
  });

  it('429: nobody’s, there is too much to do', () => {
    expect(judged({ status: 429 })).toBe('busy');
  });

  it('is known for every status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        expect(['refused', 'busy', 'misconfigured', 'failed']).toContain(judged({ status }));
      }),
    );
  });
});

describe('a 503', () => {
  it('is a failure, unless', () => {
    for (const message of [null, '', 'out of order', 'overloaded', 'the workload died', 'reloaded']) {
      expect(judged({ status: 503, message })).toBe('failed');
    }
  });

  it('it says when to come again', () => {
    expect(judged({ status: 503, headers: { 'retry-after': '3' } })).toBe('busy');
    expect(judged({ status: 503, headers: { 'retry-after': '' } })).toBe('busy');
  });

  it.each(['Loading model', 'model is loading, please wait', 'LOADING', 'still in model load'])(
    'it speaks of loading: %s',
    (message) => {
      expect(judged({ status: 503, message })).toBe('busy');
    },
  );
});

describe('a 404', () => {
  it('of a chat is a node without the model that it registered', () => {
    for (const message of [null, 'not found', 'model m not found']) {
      expect(judged({ status: 404, message })).toBe('misconfigured');
      expect(judged({ status: 404, message, path: '/vllm/v1/chat/completions' })).toBe('misconfigured');
    }
  });

  it('of the older completions may be a node that has none', () => {
    const path = '/v1/completions';
    expect(judged({ status: 404, path })).toBe('refused');
    expect(judged({ status: 404, path, message: 'Not Found' })).toBe('refused');
    expect(judged({ status: 404, path, message: 'The Model m does not exist' })).toBe('misconfigured');
  });
});
