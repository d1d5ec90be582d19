import { beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import { areOfTwoOwners, CallVerdicts, mayBeRequests } from './call-verdicts.js';
import { NO_COUNT, verdict, type AttemptEnd } from './relay/attempt-end.js';
import { RequestFaultsService, type HeldCharge } from './request-faults.service.js';

interface Answered {
  readonly outcome?: AttemptEnd['outcome'];
  readonly status?: number;
  readonly message?: string | null;
  readonly isCommitted?: boolean;
}

/** An attempt that ended with a node's own answer. */
function anEnd(stated: Answered = {}): AttemptEnd {
  const { outcome = 'failed', status = 500, message = 'no images', isCommitted = false } = stated;
  const answer = { status, headers: {}, body: Buffer.alloc(0) };
  return {
    ...NO_COUNT,
    ...verdict(outcome, { answer, message }),
    ...{ headStatus: status, isBroken: false, isCommitted, elapsedMs: 5, heldUpMs: 0 },
  };
}

const BROKEN: AttemptEnd = { ...anEnd(), answer: null, isBroken: true };

describe('an attempt that may be the request’s fault', () => {
  it.each([400, 404, 413, 415, 422, 500, 501, 505])('ended with a message and status %i', (status) => {
    expect(mayBeRequests(anEnd({ status }))).toBe(true);
    expect(mayBeRequests(anEnd({ status, outcome: 'refused' }))).toBe(true);
  });

  it.each([401, 402, 403, 408, 429, 502, 503, 504])('never ended with status %i', (status) => {
    expect(mayBeRequests(anEnd({ status }))).toBe(false);
    expect(mayBeRequests(anEnd({ status, outcome: 'refused' }))).toBe(false);
  });

  it.each([null, '', ' \n'])('never ended with the message %j', (message) => {
    expect(mayBeRequests(anEnd({ message }))).toBe(false);
  });

  it('never ended without an answer, or after the client had seen part of one', () => {
    expect(mayBeRequests(BROKEN)).toBe(false);
    expect(mayBeRequests(anEnd({ isCommitted: true }))).toBe(false);
  });

  it.each([
    'completed',
    'busy',
    'client_left',
    'timed_out',
    'too_long',
    'unsupported',
  ] as AttemptEnd['outcome'][])('never ended as %s', (outcome) => {
    expect(mayBeRequests(anEnd({ outcome }))).toBe(false);
  });
});

describe('two nodes', () => {
  const endpoint = 'http://a.test:8000';
  const listed = { source: 'nodes_file' } as const;
  const flagged = { source: 'flag' } as const;
  const a = aNode({ wallet: 'a' });

  it('are of two owners with two wallets and two hosts', () => {
    expect(areOfTwoOwners(a, aNode({ wallet: 'b' }))).toBe(true);
    expect(areOfTwoOwners(a, aNode({ wallet: 'b', ...listed }))).toBe(true);
  });

  it('are of one owner with one wallet, unless an operator listed both', () => {
    const elsewhere = { wallet: 'a', name: 'two', endpoint: 'http://b.test:8000' };
    expect(areOfTwoOwners(a, aNode(elsewhere))).toBe(false);
    expect(areOfTwoOwners(a, aNode({ ...elsewhere, ...listed }))).toBe(false);
    expect(areOfTwoOwners(aNode({ wallet: 'a', ...flagged }), aNode(elsewhere))).toBe(false);
    expect(areOfTwoOwners(aNode({ wallet: 'a', ...flagged }), aNode({ ...elsewhere, ...listed }))).toBe(true);
  });

  it('are of one owner at one host and port, whatever the path and the wallets', () => {
    for (const same of [endpoint, `${endpoint}/v1`, 'https://A.test:8000', 'http://x@a.test:8000']) {
      expect(areOfTwoOwners(a, aNode({ wallet: 'b', endpoint: same }))).toBe(false);
      expect(
        areOfTwoOwners(aNode({ wallet: 'a', ...listed }), aNode({ wallet: 'b', ...listed, endpoint: same })),
      ).toBe(false);
    }
    expect(areOfTwoOwners(a, aNode({ wallet: 'b', endpoint: 'http://a.test:8001' }))).toBe(true);
  });

  it('are distinguished by their endpoints as text where those are no URLs', () => {
    const odd = aNode({ wallet: 'a', endpoint: 'odd' });
    expect(areOfTwoOwners(odd, aNode({ wallet: 'b', endpoint: 'odd' }))).toBe(false);
    expect(areOfTwoOwners(odd, aNode({ wallet: 'b', endpoint: 'odder' }))).toBe(true);
  });
});

describe('the verdicts of a call', () => {
  let rooms: Rooms;
  let faults: RequestFaultsService;
  let nodes: MeshNode[];
  let verdicts: CallVerdicts;
  beforeEach(() => {
    rooms = new Rooms();
    faults = new RequestFaultsService(rooms.clock, rooms.logger, rooms.health, rooms.bus);
    nodes = ['a', 'b', 'c', 'd'].map((wallet) => rooms.join({ wallet }).node);
    verdicts = new CallVerdicts();
  });

  function node(at: number): MeshNode {
    return nodes[at]!;
  }

  function charge(at: number): HeldCharge {
    return faults.hold({ node: node(at), incarnation: node(at).incarnation });
  }

  /** Reputation of each node: 1, or 1/2 where its failure counts. */
  function reputations(): number[] {
    return nodes.map((one) => rooms.health.reputation(one));
  }

  it('hold back the charge of the first answer', () => {
    expect(verdicts.add(anEnd(), node(0), charge(0))).toBeNull();
    expect(reputations()).toEqual([1, 1, 1, 1]);
  });

  it('give back the charges of two nodes that answered alike', () => {
    const [first, second] = [charge(0), charge(1)];
    verdicts.add(anEnd(), node(0), first);
    expect(verdicts.add(anEnd(), node(1), second)).toEqual([first, second]);
    expect(reputations()).toEqual([1, 1, 1, 1]);
  });

  it('give back none where the answers charge none', () => {
    verdicts.add(anEnd({ outcome: 'refused', status: 400 }), node(0), null);
    expect(verdicts.add(anEnd({ outcome: 'refused', status: 400 }), node(1), null)).toEqual([]);
  });

  it.each<[string, Answered, Answered]>([
    ['another status', { status: 500 }, { status: 501 }],
    ['another message', { message: 'no images' }, { message: 'no images here' }],
  ])('count both answers of %s in turn', (_, one, other) => {
    verdicts.add(anEnd(one), node(0), charge(0));
    expect(verdicts.add(anEnd(other), node(1), charge(1))).toBeNull();
    expect(reputations()).toEqual([1 / 2, 1, 1, 1]);
    verdicts.countAll();
    expect(reputations()).toEqual([1 / 2, 1 / 2, 1, 1]);
  });

  it('count an answer that the same owner gave twice', () => {
    verdicts.add(anEnd(), node(0), charge(0));
    expect(verdicts.add(anEnd(), node(0), charge(0))).toBeNull();
    expect(rooms.health.reputation(node(0))).toBe(1 / 2);
  });

  it('give back all charges once two answers are alike, those counted before as well', () => {
    const charges = [charge(0), charge(1), charge(2)];
    verdicts.add(anEnd({ message: 'other' }), node(0), charges[0]!);
    verdicts.add(anEnd(), node(1), charges[1]!);
    expect(verdicts.add(anEnd(), node(2), charges[2]!)).toEqual(charges);
  });

  it('compare with each earlier answer, not with the last alone', () => {
    verdicts.add(anEnd(), node(0), null);
    verdicts.add(anEnd({ message: 'other' }), node(1), null);
    expect(verdicts.add(anEnd(), node(2), null)).toEqual([]);
  });

  it.each<[string, AttemptEnd]>([
    ['a broken connection', BROKEN],
    ['a status that is never the request’s', anEnd({ status: 503 })],
  ])('count at once what %s charges, and what was held', (_, end) => {
    verdicts.add(anEnd(), node(0), charge(0));
    expect(verdicts.add(end, node(1), charge(1))).toBeNull();
    expect(reputations()).toEqual([1 / 2, 1 / 2, 1, 1]);
  });

  it('forget no answer by a broken connection between', () => {
    verdicts.add(anEnd(), node(0), null);
    verdicts.add(BROKEN, node(1), null);
    expect(verdicts.add(anEnd(), node(2), null)).toEqual([]);
  });

  it.each([
    ['can’t open /srv/models/a.gguf: no images', 'can’t open /home/x/b.gguf: no images'],
    ['at "C:\\models\\a" (llama)', 'at "C:\\other\\b" (llama)'],
    [' no images\n', 'no images'],
    [`${'a'.repeat(4096)}b`, `${'a'.repeat(4096)}c`],
  ])('take %j and %j for one message', (one, other) => {
    verdicts.add(anEnd({ message: one }), node(0), null);
    expect(verdicts.add(anEnd({ message: other }), node(1), null)).toEqual([]);
  });

  it('count once, however often they are to', () => {
    verdicts.add(anEnd(), node(0), charge(0));
    verdicts.countAll();
    verdicts.countAll();
    expect(reputations()).toEqual([1 / 2, 1, 1, 1]);
  });
});
