import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import { NodeLimitsService, type Demand } from './node-limits.service.js';
import { NO_COUNT, verdict, type AttemptEnd } from './relay/attempt-end.js';

const REMEMBERED_MS = 600_000;
const PATH = '/v1/completions';

let rooms: Rooms;
let limits: NodeLimitsService;
let node: MeshNode;
let other: MeshNode;
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: 1e6 } });
  limits = new NodeLimitsService(rooms.clock);
  node = rooms.join({ wallet: 'w' }).node;
  other = rooms.join({ wallet: 'v' }).node;
});

function demand(stated: Partial<Demand> = {}): Demand {
  return { model: MODEL, path: PATH, bodyBytes: 1000, hasMedia: false, ...stated };
}

function anEnd(
  outcome: AttemptEnd['outcome'],
  message: string | null = null,
  error: object = {},
): AttemptEnd {
  const answer = { status: 400, headers: {}, body: Buffer.from(JSON.stringify({ error })) };
  return {
    ...NO_COUNT,
    ...verdict(outcome, { answer, message }),
    ...{ headStatus: 400, isBroken: false, isCommitted: false, elapsedMs: 5, heldUpMs: 0 },
  };
}

/** The node refuses a request as too long, with the lengths that it gives. */
function refused(of: MeshNode, n_ctx?: number, n_prompt_tokens?: number, asked = demand()): void {
  limits.learn(of, anEnd('too_long', null, { n_ctx, n_prompt_tokens }), asked);
}

/** Where the requests of the model begin not to fit on the node, in bytes. */
function roomOf(of: MeshNode): number {
  const fits = (bodyBytes: number): boolean => !limits.unfit(demand({ bodyBytes })).has(of);
  for (let bytes = 0; bytes < 3000; bytes += 1) if (!fits(bytes)) return bytes;
  return Infinity;
}

describe('a node', () => {
  it('can serve anything until it says otherwise', () => {
    expect(limits.unfit(demand()).size).toBe(0);
    limits.learn(node, anEnd('failed', 'boom'), demand());
    limits.learn(node, anEnd('completed'), demand());
    expect(limits.unfit(demand()).size).toBe(0);
  });

  it('that lacks an endpoint is unfit for that path', () => {
    limits.learn(node, anEnd('unsupported'), demand());
    expect([...limits.unfit(demand())]).toEqual([node]);
    expect(limits.unfit(demand({ path: '/v1/chat/completions' })).size).toBe(0);
    expect(limits.unfit(demand({ model: 'other' })).size).toBe(0);
  });

  it('that lacks several endpoints is unfit for each', () => {
    for (const path of ['/a', '/b']) limits.learn(node, anEnd('unsupported'), demand({ path }));
    expect(['/a', '/b', '/c'].map((path) => limits.unfit(demand({ path })).size)).toEqual([1, 1, 0]);
  });

  it('that refused a request as too long is unfit for such lengths', () => {
    refused(node);
    expect(roomOf(node)).toBe(1000);
    expect([roomOf(other), limits.unfit(demand({ model: 'other' })).size]).toEqual([Infinity, 0]);
  });

  it('that names the lengths is unfit from its share of the request on', () => {
    refused(node, 256, 601);
    expect(roomOf(node)).toBe(426);
  });

  it.each([
    [256, undefined],
    [undefined, 601],
    [601, 601],
    [700, 601],
  ])('is unfit from the request’s length on where it names %j of %j tokens', (limit, request) => {
    refused(node, limit, request);
    expect(roomOf(node)).toBe(1000);
  });

  it('names its lengths in the message too', () => {
    const message = 'request (500 tokens) exceeds the available context size (250 tokens), try increasing it';
    limits.learn(node, anEnd('too_long', message), demand());
    expect(roomOf(node)).toBe(500);
  });

  it.each([
    "This model's maximum context length is 4096 tokens. However, you requested 1000010 tokens (10 in the messages, 1000000 in the completion).",
    "'max_tokens' is too large: 1000000. This model's maximum context length is 4096 tokens and your request has 10 input tokens (1000000 > 4096 - 10).",
  ])('teaches no length where the answer that was asked for is too long: %s', (message) => {
    limits.learn(node, anEnd('too_long', message), demand());
    expect(roomOf(node)).toBe(Infinity);
  });

  it('teaches the prompt’s length where the error names the answer’s as well', () => {
    const message =
      "This model's maximum context length is 256 tokens. However, you requested 900 tokens (512 in the messages, 388 in the completion).";
    limits.learn(node, anEnd('too_long', message), demand());
    expect(roomOf(node)).toBe(500);
  });

  it('keeps the least length that it refused', () => {
    refused(node);
    refused(node, undefined, undefined, demand({ bodyBytes: 2000 }));
    expect(roomOf(node)).toBe(1000);
    refused(node, undefined, undefined, demand({ bodyBytes: 800 }));
    expect(roomOf(node)).toBe(800);
  });

  it('with status 413 is unfit from the request’s length on, whatever it says', () => {
    const end = anEnd('too_long', 'max_tokens');
    limits.learn(node, { ...end, answer: { ...end.answer!, status: 413 } }, demand());
    expect(roomOf(node)).toBe(1000);
  });

  it('teaches nothing where it has no answer', () => {
    limits.learn(node, { ...anEnd('too_long', 'context size 256'), answer: null }, demand());
    expect(roomOf(node)).toBe(Infinity);
  });
});

describe('what a node said', () => {
  beforeEach(() => {
    refused(node, 256, 601);
    limits.learn(node, anEnd('unsupported'), demand({ path: '/a' }));
  });

  it('is true for ten minutes', () => {
    rooms.clock.advance(REMEMBERED_MS - 1);
    expect(roomOf(node)).toBe(426);
    rooms.clock.advance(1);
    expect(roomOf(node)).toBe(Infinity);
    expect(limits.unfit(demand({ path: '/a' })).size).toBe(0);
  });

  it('is true for longer when it says it again', () => {
    rooms.clock.advance(REMEMBERED_MS - 1);
    limits.learn(node, anEnd('unsupported'), demand({ path: '/a' }));
    rooms.clock.advance(REMEMBERED_MS - 1);
    expect(roomOf(node)).toBe(426);
  });

  it('is learned anew after that time', () => {
    rooms.clock.advance(REMEMBERED_MS);
    limits.learn(node, anEnd('unsupported'), demand({ path: '/b' }));
    expect(['/a', '/b'].map((path) => limits.unfit(demand({ path, bodyBytes: 1 })).size)).toEqual([0, 1]);
    expect(roomOf(other)).toBe(Infinity);
  });

  it('goes when it registers again, moves or leaves', () => {
    rooms.join({ wallet: 'w' });
    expect(roomOf(node)).toBe(Infinity);
    refused(node, 256, 601);
    rooms.join({ wallet: 'w', endpoint: 'http://moved.test:8000' });
    expect(roomOf(node)).toBe(Infinity);
    refused(node, 256, 601);
    rooms.registry.delete(node.nodeId, null);
    expect(limits.unfit(demand()).size).toBe(0);
  });

  it('is kept of a thousand nodes at most', () => {
    const many = Array.from({ length: 1001 }, (_, at) => rooms.join({ wallet: `n${at}` }).node);
    for (const one of many) {
      limits.learn(one, anEnd('unsupported'), demand());
      refused(one);
    }
    const unfit = limits.unfit(demand());
    expect(unfit.size).toBe(1000);
    expect([unfit.has(many[998]!), unfit.has(many[999]!)]).toEqual([true, false]);
  });
});

describe('a long request', () => {
  const longer = (bodyBytes: number): ReadonlySet<MeshNode> =>
    limits.unfit(demand({ bodyBytes }), () => [node, other]);

  it('fits on no node with less than a token of context for eight of its bytes', () => {
    Object.assign(node, { contextTokens: 1000 });
    expect(longer(8000).size).toBe(0);
    expect([...longer(8001)]).toEqual([node]);
  });

  it('fits on a node by what it said before what its list of models says', () => {
    Object.assign(node, { contextTokens: 100_000 });
    refused(node, 1000, 1_000_000, demand({ bodyBytes: 1e9 }));
    expect([...longer(8001)]).toEqual([node]);
    rooms.clock.advance(REMEMBERED_MS);
    expect(longer(8001).size).toBe(0);
  });

  it('of 4,096 bytes or fewer may fit on any node', () => {
    Object.assign(node, { contextTokens: 1 });
    expect([longer(4096).size, longer(4097).size]).toEqual([0, 1]);
    expect(limits.unfit(demand({ bodyBytes: 4097 })).size).toBe(0);
  });
});

describe('the nodes with no more room than one that refused', () => {
  const contextOf = (of: MeshNode, tokens: number | null): void => {
    Object.assign(of, { contextTokens: tokens });
  };

  it('are none while its context is not known', () => {
    refused(node);
    contextOf(other, 1);
    expect(limits.noRoomier(node, [node, other])).toEqual([]);
  });

  it('are those whose context is known to be as long, or shorter', () => {
    const third = rooms.join({ wallet: 'u' }).node;
    refused(node, 256, 601);
    contextOf(other, 256);
    contextOf(third, 257);
    expect(limits.noRoomier(node, [node, other, third])).toEqual([node, other]);
    contextOf(third, null);
    expect(limits.noRoomier(node, [third])).toEqual([]);
  });

  it('are known by what they said before what their list of models says', () => {
    contextOf(node, 4096);
    contextOf(other, 8192);
    expect(limits.noRoomier(node, [node, other])).toEqual([node]);
    refused(other, 512, 601);
    expect(limits.noRoomier(node, [node, other])).toEqual([node, other]);
    rooms.clock.advance(REMEMBERED_MS);
    expect(limits.noRoomier(node, [node, other])).toEqual([node]);
  });

  it('are known by the last length that a node named', () => {
    refused(node, 256, 601);
    refused(node);
    contextOf(other, 256);
    expect(limits.noRoomier(node, [other])).toEqual([other]);
    refused(node, 128, 601);
    expect(limits.noRoomier(node, [other])).toEqual([]);
  });
});
