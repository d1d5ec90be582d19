import { describe, expect, it } from '@jest/globals';
import { aNode, MODEL, span } from '../../test/support/builders.js';
import { routeOf } from '../candidate-enumeration/index.js';
import { Failover, isJsonOutOfTime, type SpentAttempt } from './failover.js';
import { NO_COUNT, verdict, type AttemptEnd, type HeadAnswer } from './relay/attempt-end.js';
import type { TrialTerms } from './relay/scout-trial.js';

const HEAD = aNode({ wallet: 'head', shard: span(0, 1) });
const TAIL = aNode({ wallet: 'tail', shard: span(2, 3) });
const ROUTE = routeOf(MODEL, [
  { node: HEAD, startLayer: 0, endLayer: 1 },
  { node: TAIL, startLayer: 2, endLayer: 3 },
]);

interface Asked {
  readonly stream?: boolean;
  readonly pin?: readonly string[] | null;
  readonly trial?: TrialTerms | null;
  readonly holdsWhole?: boolean;
  readonly isUnproven?: boolean;
  readonly isFailing?: boolean;
}

/** The parts of an attempt's context that failover looks at. */
function contextOf(asked: Asked): SpentAttempt['context'] {
  const { stream = false, pin = null, trial = null } = asked;
  const { holdsWhole = false, isUnproven = false, isFailing = false } = asked;
  return {
    chat: { request: { stream, pin } },
    decision: { route: ROUTE, signature: ROUTE.signature },
    head: HEAD,
    terms: { holdsWhole },
    ...{ trial, isUnproven, isFailing },
  } as unknown as SpentAttempt['context'];
}

function anEnd(outcome: AttemptEnd['outcome'], more: Partial<AttemptEnd> = {}): AttemptEnd {
  const facts = { headStatus: null, isBroken: false, isCommitted: false, elapsedMs: 5, heldUpMs: 0 };
  return { ...NO_COUNT, ...verdict(outcome), ...facts, ...more };
}

function answered(outcome: AttemptEnd['outcome'], status: number): AttemptEnd {
  const answer: HeadAnswer = { status, headers: {}, body: Buffer.from('{}') };
  return anEnd(outcome, { answer, headStatus: status });
}

const timedOut = (timeout: AttemptEnd['timeout']): AttemptEnd => anEnd('timed_out', { timeout });

function after(ends: readonly AttemptEnd[], asked: Asked = {}, most = 9): Failover {
  const failover = new Failover(most);
  for (const end of ends) {
    failover.add(contextOf(asked), { end, verdict: { kind: 'rejected', reason: 'failed' } });
  }
  return failover;
}

/** Which of these ends is told to the client, by its place. */
function toldOf(ends: readonly AttemptEnd[], asked: Asked = {}): number {
  const told = after(ends, asked).mostTelling();
  return ends.findIndex((end) => end === told?.settled.end);
}

describe('another attempt', () => {
  it.each([
    ['a failure', anEnd('failed')],
    ['an answer of the head’s failure', answered('failed', 500)],
    ['a busy head', answered('busy', 429)],
    ['a head that is set up wrong', anEnd('misconfigured')],
    ['an answer cut off unseen', anEnd('cut_off')],
    ['a connect timeout', timedOut('connect')],
    ['an endpoint that the head lacks', answered('unsupported', 501)],
  ])('follows %s, JSON or stream', (_what, end) => {
    for (const stream of [true, false]) expect(after([end], { stream }).mayGoOn()).toBe(true);
  });

  it.each([
    ['a request that a proven head refused', answered('refused', 400)],
    ['an answer without content of a proven head', answered('empty', 200)],
    ['a silence in the midst of a stream', timedOut('idle')],
    ['a call that took too long in all', timedOut('total')],
    ['a client that left', anEnd('client_left')],
    ['a whole answer', anEnd('completed')],
  ])('does not follow %s', (_what, end) => {
    for (const stream of [true, false]) expect(after([end], { stream }).mayGoOn()).toBe(false);
  });

  it('follows a silence of a scout whose first words were held', () => {
    const trial: TrialTerms = { leastTps: 1, promptMs: 0, takeOver: () => false };
    expect(after([timedOut('idle')], { stream: true, trial }).mayGoOn()).toBe(true);
    expect(after([timedOut('total')], { stream: true, trial }).mayGoOn()).toBe(false);
  });

  it('follows a silence of a stream that was held until it is whole', () => {
    const asked = { stream: true, holdsWhole: true };
    expect(after([timedOut('idle')], asked).mayGoOn()).toBe(true);
    expect(after([timedOut('total')], asked).mayGoOn()).toBe(false);
  });

  it.each([
    ['a refusal', answered('refused', 400)],
    ['an answer without content', answered('empty', 200)],
  ])('follows %s of an unproven head, and no second one', (_what, end) => {
    for (const stream of [true, false]) {
      const asked = { stream, isUnproven: true };
      const first = after([end], asked);
      expect([first.mayGoOn(), first.hasSecondOpinion]).toEqual([true, true]);
      expect(after([anEnd('failed'), end], asked).mayGoOn()).toBe(true);
      for (const before of [answered('refused', 400), answered('empty', 200)]) {
        expect(after([before, end], asked).mayGoOn()).toBe(false);
      }
      expect(after([end], { ...asked, isFailing: true, isUnproven: false }).mayGoOn()).toBe(false);
    }
  });

  it('is no second opinion after a failure', () => {
    expect(after([anEnd('failed'), answered('busy', 429)], { isUnproven: true }).hasSecondOpinion).toBe(
      false,
    );
  });

  it('follows a request that is too long for the head, once', () => {
    const tooLong = answered('too_long', 413);
    for (const isUnproven of [true, false]) {
      expect(after([tooLong], { isUnproven }).mayGoOn()).toBe(true);
      expect(after([tooLong, anEnd('failed')], { isUnproven }).mayGoOn()).toBe(true);
      expect(after([tooLong, tooLong], { isUnproven }).mayGoOn()).toBe(false);
    }
  });

  it('does not follow once the request itself is at fault', () => {
    const failover = after([answered('failed', 500), answered('failed', 500)]);
    expect(failover.mayGoOn()).toBe(true);
    failover.isRequests = true;
    expect(failover.mayGoOn()).toBe(false);
  });

  it('goes without a scout that was too slow, and without none of its nodes', () => {
    const failover = after([anEnd('abandoned')], { stream: true });
    expect([[...failover.tried], [...failover.abandoned]]).toEqual([[], [ROUTE.signature]]);
    expect([failover.isAtLast, after([anEnd('abandoned')], {}, 2).isAtLast]).toEqual([false, true]);
  });

  it('follows a first-byte timeout of a stream, once, and never one of JSON', () => {
    const late = timedOut('first_byte');
    expect(after([late], { stream: true }).mayGoOn()).toBe(true);
    expect(after([anEnd('failed'), late], { stream: true }).mayGoOn()).toBe(true);
    expect(after([late, anEnd('failed')], { stream: true }).mayGoOn()).toBe(true);
    expect(after([late, anEnd('failed'), late], { stream: true }).mayGoOn()).toBe(false);
    expect(after([late], { stream: false }).mayGoOn()).toBe(false);
    expect(after([late], { stream: false, isUnproven: true }).mayGoOn()).toBe(false);
  });

  it('follows a first-byte timeout of JSON, once, where the head has failed several times in a row', () => {
    const late = timedOut('first_byte');
    const asked = { stream: false, isFailing: true };
    expect(after([late], asked).mayGoOn()).toBe(true);
    expect(after([late, late], asked).mayGoOn()).toBe(false);
  });

  it('comes first, and never to a pinned call', () => {
    expect(new Failover(1).mayGoOn()).toBe(true);
    const pin = ['head:0-1'];
    expect(after([anEnd('failed')], { pin }).mayGoOn()).toBe(false);
    for (const end of [answered('refused', 400), answered('empty', 200), answered('too_long', 413)]) {
      expect(after([end], { pin, isUnproven: true, isFailing: true }).mayGoOn()).toBe(false);
    }
  });

  it('is one of so many at most', () => {
    const failure = anEnd('failed');
    expect(after([failure], {}, 1).mayGoOn()).toBe(false);
    expect(after([failure, failure], {}, 3).mayGoOn()).toBe(true);
    expect(after([failure, failure, failure], {}, 3).mayGoOn()).toBe(false);
    expect(after([failure, failure], {}, 3).attempts).toBe(2);
  });

  it('leaves out the hop that the head named, else the head, whether it failed or refused', () => {
    const tried = (end: AttemptEnd): unknown[] => [...after([end]).tried];
    expect(tried(anEnd('failed', { failedNodeId: 'tail:2-3' }))).toEqual([TAIL]);
    expect(tried(anEnd('failed', { failedNodeId: 'nobody' }))).toEqual([HEAD]);
    expect(tried(answered('busy', 503))).toEqual([HEAD]);
    expect(tried(timedOut('first_byte'))).toEqual([HEAD]);
    const both = [anEnd('failed', { failedNodeId: 'tail:2-3' }), answered('busy', 429)];
    expect([...after(both).tried]).toEqual([TAIL, HEAD]);
  });
});

describe('when no attempt is left, the client is told', () => {
  const busy = answered('busy', 429);
  const loading = answered('busy', 503);
  const failed = answered('failed', 500);
  const unreachable = anEnd('failed');
  const late = timedOut('first_byte');

  it('nothing where nothing was tried', () => {
    expect(new Failover(3).mostTelling()).toBeUndefined();
  });

  it('that there is too much to do, rather than any failure before or after', () => {
    expect(toldOf([busy, failed, unreachable])).toBe(0);
    expect(toldOf([failed, loading, late], { stream: true })).toBe(1);
    expect(toldOf([loading, busy, unreachable])).toBe(1);
  });

  it('the last answer of a head, rather than that another could not be reached or took too long', () => {
    expect(toldOf([failed, answered('failed', 502), unreachable])).toBe(1);
    expect(toldOf([failed, late], { stream: true })).toBe(0);
  });

  it('that a node took too long, rather than that another failed without a word', () => {
    expect(toldOf([late, unreachable], { stream: true })).toBe(0);
    expect(toldOf([timedOut('connect'), anEnd('misconfigured')])).toBe(0);
  });

  it('the last failure, where none has more to say', () => {
    expect(toldOf([unreachable, anEnd('misconfigured'), anEnd('cut_off')])).toBe(2);
  });

  it('what was wrong with the request, once a head has looked at it', () => {
    expect(toldOf([busy, answered('refused', 400)])).toBe(1);
    expect(toldOf([failed, unreachable, answered('refused', 422)])).toBe(2);
  });

  it('an answer without content, rather than any refusal', () => {
    expect(toldOf([answered('empty', 200), answered('refused', 400)])).toBe(0);
    expect(toldOf([answered('refused', 400), answered('empty', 200), busy])).toBe(1);
  });

  it('that the request is too long, rather than that there is too much to do', () => {
    expect(toldOf([answered('too_long', 413), busy, failed])).toBe(0);
    expect(toldOf([answered('too_long', 413), answered('refused', 400)])).toBe(1);
  });

  it('what the last head said, where the request itself is at fault', () => {
    const ends = [busy, failed, answered('failed', 500)];
    const failover = after(ends, { stream: true });
    failover.isRequests = true;
    expect(failover.mostTelling()?.settled.end).toBe(ends[2]);
  });

  it('that JSON ran out of time, since only that keeps its library from trying at once', () => {
    expect(toldOf([busy, failed, late], { stream: false })).toBe(2);
  });
});

describe('JSON that ran out of time', () => {
  it('is one whose first byte did not come in time, and no stream', () => {
    const isOne = (end: AttemptEnd, stream: boolean): boolean => {
      const told = after([end], { stream }).mostTelling();
      return told !== undefined && isJsonOutOfTime(told);
    };
    expect(isOne(timedOut('first_byte'), false)).toBe(true);
    expect(isOne(timedOut('first_byte'), true)).toBe(false);
    expect(isOne(timedOut('total'), false)).toBe(false);
    expect(isOne(anEnd('failed'), false)).toBe(false);
  });
});
