import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifyResponse, type ResponseFacts } from './classify-response.js';

function classOf(stated: Partial<ResponseFacts> & { readonly status: number }): string {
  return classifyResponse({ headers: {}, message: null, path: '/v1/chat/completions', ...stated });
}

describe('a response that is no completion', () => {
  it.each([400, 411, 414, 415, 416, 422, 431])('with status %i is the client’s', (status) => {
    expect(classOf({ status })).toBe('refused');
  });

  it.each([402, 406, 408, 409, 418, 425, 451, 499, 500, 502, 504, 507, 529, 599, 301, 304, 199])(
    'with status %i is the node’s',
    (status) => {
      expect(classOf({ status })).toBe('failed');
    },
  );

  it.each([401, 403, 405, 410])('with status %i is a node that refuses the tracker', (status) => {
    expect(classOf({ status })).toBe('misconfigured');
  });

  it.each([413])('with status %i asks for a route with more room', (status) => {
    expect(classOf({ status })).toBe('too_long');
  });

  it('with status 501 asks for another route', () => {
    expect(classOf({ status: 501 })).toBe('unsupported');
  });

  it('with status 508 is busy where a tracker says that it has had the chat, else the node’s', () => {
    expect(classOf({ status: 508, headers: { 'x-meshnet-tracker': 'meshnet-x' } })).toBe('busy');
    expect(classOf({ status: 508 })).toBe('failed');
    expect(classOf({ status: 500, headers: { 'x-meshnet-tracker': 'meshnet-x' } })).toBe('failed');
  });

  it('with status 429 is busy', () => {
    expect(classOf({ status: 429 })).toBe('busy');
  });

  it('has a class for every status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        expect(['refused', 'too_long', 'busy', 'unsupported', 'misconfigured', 'failed']).toContain(
          classOf({ status }),
        );
      }),
    );
  });
});

describe('a 503', () => {
  it('is a failure, unless', () => {
    for (const message of [null, '', 'out of order', 'overloaded', 'the workload died', 'reloaded']) {
      expect(classOf({ status: 503, message })).toBe('failed');
    }
  });

  it('it says when to come again', () => {
    expect(classOf({ status: 503, headers: { 'retry-after': '3' } })).toBe('busy');
    expect(classOf({ status: 503, headers: { 'retry-after': '' } })).toBe('busy');
    expect(classOf({ status: 503, headers: { 'retry-after-ms': '300' } })).toBe('busy');
  });

  it.each(['Loading model', 'model is loading, please wait', 'LOADING', 'still in model load'])(
    'it speaks of loading: %s',
    (message) => {
      expect(classOf({ status: 503, message })).toBe('busy');
    },
  );
});

describe('a 404', () => {
  it('of a chat is a node without the model that it registered', () => {
    for (const message of [null, 'not found', 'model m not found']) {
      expect(classOf({ status: 404, message })).toBe('misconfigured');
      expect(classOf({ status: 404, message, path: '/vllm/v1/chat/completions' })).toBe('misconfigured');
    }
  });

  it('of the older completions may be a node that has none', () => {
    const path = '/v1/completions';
    expect(classOf({ status: 404, path })).toBe('unsupported');
    expect(classOf({ status: 405, path })).toBe('unsupported');
    expect(classOf({ status: 404, path, message: 'Not Found' })).toBe('unsupported');
    expect(classOf({ status: 404, path, message: 'The Model m does not exist' })).toBe('misconfigured');
  });

  it('for a thing that the client named, other than the model, is the client’s', () => {
    const isClients = (text: string): boolean => text === 'file-7';
    expect(classOf({ status: 404, message: "No such file: 'file-7'", isClients })).toBe('refused');
    expect(classOf({ status: 404, message: 'The model `m` does not exist', isClients })).toBe(
      'misconfigured',
    );
    expect(classOf({ status: 404, param: 'previous_response_id' })).toBe('refused');
    expect(classOf({ status: 404, param: 'model' })).toBe('misconfigured');
  });
});

describe('a request that is too long', () => {
  it.each([
    [400, 'request (3031 tokens) exceeds the available context size (1024 tokens), try increasing it'],
    [400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"],
    [400, "The input (70000 tokens) is longer than the model's context length (32768 tokens)."],
    [500, 'prompt too long; exceeded max context length by 7 tokens'],
    [400, 'Trying to keep the first 9 tokens when context the overflows'],
    [422, 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1500'],
  ])('is known by status %i and the words %j', (status, message) => {
    expect(classOf({ status, message })).toBe('too_long');
  });

  it('is known by the error’s name', () => {
    expect(classOf({ status: 400, names: ['exceed_context_size_error'] })).toBe('too_long');
    expect(classOf({ status: 400, names: ['context_length_exceeded'] })).toBe('too_long');
  });

  it('is none for a status that says something else', () => {
    expect(classOf({ status: 502, message: 'maximum context length' })).toBe('failed');
    expect(classOf({ status: 400, message: 'context is required' })).toBe('refused');
  });
});
