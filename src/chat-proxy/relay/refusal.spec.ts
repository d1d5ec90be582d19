import { describe, expect, it } from '@jest/globals';
import { statusOfError, type InBandError } from '../bytes/index.js';
import {
  answerEvent,
  errorEvent,
  errorJson,
  headersOfOurJson,
  inBandVerdict,
  refusalVerdict,
} from './refusal.js';

const HEAD = { nodeId: 'w:all', path: '/v1/chat/completions', isClients: () => false };

function anError(stated: Partial<InBandError> = {}): InBandError {
  return { code: null, codeText: null, type: null, param: null, message: 'no', nodeId: null, ...stated };
}

describe('an error inside a 200', () => {
  it.each([
    [400, 400],
    [429, 429],
    [599, 599],
    [null, 502],
    [200, 502],
    [399, 502],
    [600, 502],
    [-1, 502],
    [500.5, 502],
  ])('with the code %p counts as the status %i', (code, status) => {
    expect(statusOfError(anError({ code }))).toBe(status);
  });

  it('becomes the answer that it should have been, and names the hop at fault', () => {
    const { outcome, answer, fault, failedNodeId } = inBandVerdict(
      HEAD,
      anError({ code: 500, codeText: 'hop_failed', nodeId: 'w:0-1' }),
      { 'content-type': 'text/event-stream', 'retry-after': '3' },
    );
    expect([outcome, fault, failedNodeId]).toEqual(['failed', null, 'w:0-1']);
    expect(answer).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/json', 'retry-after': '3' },
    });
    expect(JSON.parse(String(answer?.body))).toEqual({
      error: { message: 'no', type: 'server_error', param: null, code: 'hop_failed' },
    });
  });

  it.each([
    [400, 'refused'],
    [401, 'misconfigured'],
    [404, 'misconfigured'],
    [429, 'busy'],
    [499, 'failed'],
    [422, 'refused'],
    [500, 'failed'],
    [null, 'failed'],
  ])('with the code %p is judged as that status: %s', (code, outcome) => {
    expect(inBandVerdict(HEAD, anError({ code }), {}).outcome).toBe(outcome);
  });

  it("of a node that refuses the tracker is told as the node's, not as the client's", () => {
    const { answer, fault } = inBandVerdict(HEAD, anError({ code: 401 }), {});
    expect([answer, fault?.code]).toEqual([null, 'node_misconfigured']);
    expect(fault?.message).toContain('w:all');
  });

  it('has a message and a code even if the node gave none', () => {
    const shown = (error: InBandError, status: number): unknown =>
      JSON.parse(String(errorJson(error, status)));
    expect(shown(anError({ message: null }), 502)).toMatchObject({
      error: { message: 'The node answered with an error.', code: null },
    });
    expect(shown(anError({ code: 400 }), 400)).toMatchObject({
      error: { type: 'invalid_request_error', code: '400' },
    });
  });

  it('takes no header along that belonged to the body it replaces', () => {
    const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip', location: '/', 'x-a': '1' };
    expect(headersOfOurJson(headers)).toEqual({ 'content-type': 'application/json', 'x-a': '1' });
  });

  it('is one event where a stream cannot be finished', () => {
    expect(errorEvent(Buffer.from('{"error":{}}')).toString()).toBe('data: {"error":{}}\n\n');
  });
});

describe('an answer that is no success', () => {
  const answered = (status: number, message: string | null = null): ReturnType<typeof refusalVerdict> => {
    const answer = { status, headers: {}, body: Buffer.from('{}') };
    return refusalVerdict(HEAD, { answer, message, error: anError({ nodeId: 'tail:2-3' }) });
  };

  it.each([
    [400, 'refused'],
    [429, 'busy'],
    [500, 'failed'],
  ])('of the status %i is kept, to be passed on: %s', (status, outcome) => {
    expect(answered(status)).toMatchObject({
      outcome,
      answer: { status },
      fault: null,
      failedNodeId: 'tail:2-3',
      timeout: null,
    });
  });

  it.each([
    [401, 'The node w:all refuses the tracker (status 401).'],
    [403, 'The node w:all refuses the tracker (status 403).'],
    [404, 'The node w:all lacks the model that it registered (status 404).'],
  ])(
    'of the status %i is told in words of ours, and charges the hop that the head names',
    (status, message) => {
      const { outcome, answer, fault, failedNodeId } = answered(status, 'sk-secret is wrong');
      expect([outcome, answer, fault?.code, failedNodeId]).toEqual([
        'misconfigured',
        null,
        'node_misconfigured',
        'tail:2-3',
      ]);
      expect(fault?.message).toBe(message);
    },
  );
});

describe('an answer as the last event of a stream', () => {
  const told = (status: number, body: string): unknown => {
    const event = answerEvent({ status, headers: {}, body: Buffer.from(body) }).toString();
    expect(event).toMatch(/^data: [^\r\n]+\n\n$/);
    return JSON.parse(event.slice(6));
  };

  it('is the head’s own where that has the shape that clients know, on one line', () => {
    expect(told(400, '{\n  "error": {"message": "no", "x": 1}\r\n}')).toEqual({
      error: { message: 'no', x: 1 },
    });
  });

  it.each([
    ['{"error":"no such model"}', 'no such model'],
    ['{"object":"error","message":"too long","code":400}', 'too long'],
    ['{"detail":"no"}', 'no'],
    ['{"reason":"no"}', '{"reason":"no"}'],
    ['"no"', '"no"'],
    ['null', 'null'],
    ['[1]', '[1]'],
  ])('is put into that shape where it has another: %s', (body, message) => {
    expect(told(422, body)).toMatchObject({ error: { message, type: 'invalid_request_error', param: null } });
    expect(told(500, body)).toMatchObject({ error: { type: 'server_error' } });
  });

  it('quotes no more than a little of what it doesn’t know', () => {
    const { error } = told(500, JSON.stringify('x'.repeat(100_000))) as { error: { message: string } };
    expect(error.message.length).toBeLessThanOrEqual(2048);
  });
});
