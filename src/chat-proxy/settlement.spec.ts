import { describe, expect, it } from '@jest/globals';
import { aNode, MODEL, span } from '../../test/support/builders.js';
import { routeOf } from '../candidate-enumeration/index.js';
import { NodeFailedError } from '../kernel/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { attemptEndingOf, blamedNode, endingOf, outcomeOf, sampleOf } from './settlement.js';

const HEAD = aNode({ wallet: 'head', shard: span(0, 1) });
const TAIL = aNode({ wallet: 'tail', shard: span(0, 3) });
const ROUTE = routeOf(MODEL, [
  { node: HEAD, startLayer: 0, endLayer: 1 },
  { node: TAIL, startLayer: 2, endLayer: 3 },
]);

function anEnd(stated: Partial<AttemptEnd> = {}): AttemptEnd {
  return {
    ...{
      outcome: 'completed',
      answer: null,
      message: null,
      fault: null,
      failedNodeId: null,
      timeout: null,
      headStatus: 200,
    },
    ...{ isCommitted: true, isBroken: false, elapsedMs: 2_000, heldUpMs: 0 },
    ...{ usage: { promptTokens: 3, completionTokens: 40 }, contentChunks: 12 },
    ...{ model: null, completeness: 'whole' as const },
    ...stated,
  };
}

describe('what an attempt says of speed', () => {
  it('is its tokens by its time, as the upstream counted them', () => {
    expect(sampleOf(anEnd(), 8)).toEqual({ kind: 'sample', tps: 20, weight: 1 });
  });

  it('is the number of content chunks where nobody counted, and weighs less', () => {
    for (const usage of [null, { promptTokens: 3, completionTokens: null }]) {
      expect(sampleOf(anEnd({ usage }), 8)).toEqual({ kind: 'sample', tps: 6, weight: 0.6 });
    }
  });

  it.each([
    [{ outcome: 'refused' }, 'failed'],
    [{ outcome: 'failed' }, 'failed'],
    [{ outcome: 'busy' }, 'failed'],
    [{ outcome: 'misconfigured' }, 'failed'],
    [{ outcome: 'timed_out' }, 'failed'],
    [{ outcome: 'cut_off' }, 'cut_off'],
    [{ outcome: 'client_left' }, 'client_left'],
    [{ heldUpMs: 201 }, 'client_slow'],
    [{ usage: { promptTokens: 3, completionTokens: 7 } }, 'too_few_tokens'],
    [{ usage: { promptTokens: 3, completionTokens: 0 } }, 'too_few_tokens'],
  ] as const)('is nothing: %j', (stated, reason) => {
    expect(sampleOf(anEnd(stated), 8)).toEqual({ kind: 'rejected', reason });
  });
});

describe('what an attempt says of its nodes', () => {
  it('is good of all of them when it was completed', () => {
    expect(outcomeOf(anEnd(), ROUTE)).toEqual({ kind: 'success' });
  });

  it.each(['client_left', 'busy', 'too_long', 'unsupported', 'abandoned'] as const)(
    'is nothing when it was %s',
    (outcome) => {
      expect(outcomeOf(anEnd({ outcome }), ROUTE)).toEqual({ kind: 'neutral' });
    },
  );

  it.each([
    ['refused', { outcome: 'refused' }],
    ['empty and held for another route', { outcome: 'empty' }],
    ['completed without content', { completeness: 'empty' }],
  ] as const)('is that the named hop, else the head, gave nothing when it was %s', (_what, stated) => {
    const given = (failedNodeId: string | null): unknown =>
      outcomeOf(anEnd({ ...stated, failedNodeId }), ROUTE);
    expect(given('tail:0-3')).toEqual({ kind: 'nothing', by: TAIL });
    expect(given(null)).toEqual({ kind: 'nothing', by: HEAD });
  });

  it.each(['failed', 'cut_off'] as const)(
    'is bad of the hop that the head named when it %s, else of the head',
    (outcome) => {
      const blame = (failedNodeId: string | null): unknown =>
        outcomeOf(anEnd({ outcome, failedNodeId }), ROUTE);
      expect(blame('tail:0-3')).toEqual({ kind: 'failure', blame: TAIL, isCut: true });
      expect(blame('head:0-1')).toEqual({ kind: 'failure', blame: HEAD, isCut: true });
      expect(blame('stranger:0-3')).toEqual({ kind: 'failure', blame: HEAD, isCut: true });
      expect(blame(null)).toEqual({ kind: 'failure', blame: HEAD, isCut: true });
    },
  );

  it.each(['failed', 'cut_off', 'timed_out', 'misconfigured'] as const)(
    'is a cut when it %s after the client had got something, and none before',
    (outcome) => {
      for (const isCommitted of [true, false]) {
        expect(outcomeOf(anEnd({ outcome, isCommitted }), ROUTE)).toEqual({
          ...{ kind: 'failure', blame: HEAD, isCut: isCommitted },
        });
      }
    },
  );

  it('is nothing of a route without nodes', () => {
    const nowhere = { ...ROUTE, hops: [] };
    expect(blamedNode(anEnd({ outcome: 'failed' }), nowhere)).toBeNull();
    for (const outcome of ['failed', 'refused', 'empty'] as const) {
      expect(outcomeOf(anEnd({ outcome }), nowhere)).toEqual({ kind: 'neutral' });
    }
  });
});

describe("an attempt's line in the record", () => {
  it("names no node and no cause of what went well, or was no node's doing", () => {
    for (const outcome of ['completed', 'refused', 'busy', 'client_left'] as const) {
      const failedNodeId = 'tail:0-3';
      expect(attemptEndingOf(anEnd({ outcome, failedNodeId, headStatus: 429 }), ROUTE)).toEqual({
        ...{ outcome, status: 429, failedNodeId: null, cause: null },
      });
    }
  });

  it('names the node that is charged, and the code of its fault', () => {
    const fault = new NodeFailedError('It refused the connection.', 'node_unreachable');
    const end = anEnd({ outcome: 'failed', fault, headStatus: null });
    expect(attemptEndingOf(end, ROUTE)).toEqual({
      ...{ outcome: 'failed', status: null, failedNodeId: 'head:0-1', cause: 'node_unreachable' },
    });
    const named = attemptEndingOf(anEnd({ outcome: 'failed', failedNodeId: 'tail:0-3' }), ROUTE);
    expect(named).toMatchObject({ failedNodeId: 'tail:0-3' });
    const nowhere = attemptEndingOf(anEnd({ outcome: 'failed' }), { ...ROUTE, hops: [] });
    expect(nowhere).toMatchObject({ failedNodeId: null, cause: 'node_failed' });
  });

  it.each([
    ['failed', 'node_failed'],
    ['misconfigured', 'node_misconfigured'],
    ['timed_out', 'node_timeout'],
    ['cut_off', 'answer_cut_off'],
  ] as const)('has a code for what the head itself told of: %s', (outcome, cause) => {
    expect(attemptEndingOf(anEnd({ outcome }), ROUTE).cause).toBe(cause);
  });
});

describe("a call's record", () => {
  it('tells tokens, speed and sample', () => {
    expect(endingOf(anEnd(), { kind: 'sample', tps: 20, weight: 1 })).toEqual({
      ...{ outcome: 'completed', cause: null, promptTokens: 3, completionTokens: 40, tokensEstimated: false },
      ...{ tps: 20, sample: 'recorded' },
    });
  });

  it('marks tokens that were only counted by chunks', () => {
    const verdict = { kind: 'sample', tps: 6, weight: 0.6 } as const;
    expect(endingOf(anEnd({ usage: null }), verdict)).toMatchObject({
      ...{ promptTokens: null, completionTokens: 12, tokensEstimated: true, tps: 6 },
    });
  });

  it('knows no tokens where neither usage nor a chunk came, and 0 where the upstream says so', () => {
    const verdict = { kind: 'rejected', reason: 'too_few_tokens' } as const;
    expect(endingOf(anEnd({ usage: null, contentChunks: 0 }), verdict)).toMatchObject({
      ...{ completionTokens: null, tokensEstimated: false, tps: null, sample: 'too_few_tokens' },
    });
    const none = { promptTokens: 3, completionTokens: 0 };
    expect(endingOf(anEnd({ usage: none }), verdict)).toMatchObject({ completionTokens: 0, tps: 0 });
  });

  it('tells no speed of what was not completed', () => {
    const verdict = { kind: 'rejected', reason: 'cut_off' } as const;
    expect(endingOf(anEnd({ outcome: 'cut_off' }), verdict)).toMatchObject({
      ...{ outcome: 'cut_off', completionTokens: 40, tps: null, sample: 'cut_off' },
    });
  });
});
