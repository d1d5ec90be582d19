import { describe, expect, it } from '@jest/globals';
import type { AttemptFacts, CallFacts, RouteChoice } from './call-tracer.js';
import {
  attemptAttributes,
  attemptError,
  callError,
  isOurFault,
  operationOf,
  turnedAwayAttributes,
} from './span-attributes.js';

const FACTS: AttemptFacts = {
  outcome: 'failed',
  headStatus: null,
  failedNodeId: null,
  fault: null,
  usage: null,
};
const CALL: CallFacts = {
  ...{ model: 'm', outcome: 'failed', prompt_tokens: null, completion_tokens: null, tokens_estimated: false },
  ...{ tps: null, queued_ms: 0, ttft_ms: null, sample: null },
};

describe('why an attempt failed', () => {
  it('is the code of its fault, else the status of the head, else its outcome', () => {
    expect(attemptError({ ...FACTS, headStatus: 500, fault: { code: 'node_failed' } })).toBe('node_failed');
    expect(attemptError({ ...FACTS, headStatus: 500 })).toBe('500');
    expect(attemptError({ ...FACTS, headStatus: 200 })).toBe('failed');
    expect(attemptError({ ...FACTS, outcome: 'busy' })).toBe('busy');
  });

  it.each(['completed', 'refused', 'client_left'])('is nothing when it is %s', (outcome) => {
    expect(attemptError({ ...FACTS, outcome, headStatus: 400 })).toBeNull();
    expect(callError({ ...CALL, outcome }, { status: 400, cause: 'x' })).toBeNull();
  });

  it('goes for the call too', () => {
    expect(callError(CALL, { status: 502, cause: 'node_failed' })).toBe('node_failed');
    expect(callError(CALL, { status: null, cause: null })).toBe('failed');
    expect(callError({ ...CALL, outcome: null }, { status: null, cause: 'x' })).toBeNull();
  });
});

describe('a chat that was turned away', () => {
  it.each([
    [404, 'model_not_found', false],
    [400, 'invalid_request', false],
    [429, 'queue_full', true],
    [503, 'no_route', true],
    [500, 'internal_error', true],
  ])('with %i %s was a fault of ours: %s', (status, code, isOurs) => {
    expect(isOurFault(status)).toBe(isOurs);
    expect(turnedAwayAttributes({ model: null, code, status })['error.type']).toBe(isOurs ? code : undefined);
  });
});

describe('where a head listens', () => {
  const at = (endpoint?: string): object => {
    const hops = endpoint === undefined ? [] : [{ node: { nodeId: 'w:all', endpoint } }];
    const considered = { eligible: [], leftOut: [] };
    const choice: RouteChoice = {
      ...{ model: 'm', signature: 's', mode: 'pinned', probability: 1, considered },
      route: { hops },
    };
    const told = attemptAttributes(choice, 'chat', 'r', 1);
    return [told['server.address'], told['server.port']];
  };

  it('is its host and port, the usual one where none is written', () => {
    expect(at('http://10.0.0.7:8000/vllm')).toEqual(['10.0.0.7', 8000]);
    expect(at('http://gpu.example')).toEqual(['gpu.example', 80]);
    expect(at('https://[fd00::1]')).toEqual(['fd00::1', 443]);
    expect(at()).toEqual([undefined, undefined]);
  });
});

describe('the operation', () => {
  it('is known by the path', () => {
    expect(operationOf('/v1/completions')).toBe('text_completion');
    expect(operationOf('/v1/chat/completions')).toBe('chat');
  });
});
