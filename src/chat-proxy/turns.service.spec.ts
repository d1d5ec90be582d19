import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL } from '../../test/support/builders.js';
import { FakeResponse } from '../../test/support/fake-response.js';
import { learningIn } from '../../test/support/learning-rooms.js';
import { Rooms } from '../../test/support/rooms.js';
import { QueueError, ShuttingDownError } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import { CallSettings, type RoutingSettings } from '../settings/index.js';
import { COMPLETED, NO_COUNT, type AttemptEnd } from './relay/attempt-end.js';
import { ClientAnswer } from './relay/client-answer.js';
import { TurnsService, type Applicant, type Turn } from './turns.service.js';

const DONE: AttemptEnd = {
  ...NO_COUNT,
  ...COMPLETED,
  ...{ headStatus: 200, isBroken: false, isCommitted: true, elapsedMs: 5, heldUpMs: 0 },
};
const QUEUE_MS = 60_000;

let rooms: Rooms;
let settings: CallSettings;
let turns: TurnsService;
function open(options: Partial<CallSettings> = {}, routing: Partial<RoutingSettings> = {}): void {
  rooms = new Rooms({
    nodes: { leaseSeconds: 1e6 },
    routing: { exploreShare: 0, ...routing },
  });
  settings = Object.assign(new CallSettings(), options);
  const learning = learningIn(rooms);
  turns = new TurnsService(settings, rooms.clock, learning, rooms.admission, rooms.bus);
}
beforeEach(() => open());

/** A call that takes any route of the model. */
function plain(model = MODEL): Applicant {
  return { model, isPlain: true, decide: () => rooms.routing.decide(model, null) };
}

function pinned(nodeId: string): Applicant {
  return { model: MODEL, isPlain: false, decide: () => rooms.routing.decide(MODEL, [nodeId]) };
}

function retry(...tried: MeshNode[]): Applicant {
  return { model: MODEL, isPlain: false, decide: () => rooms.routing.decideAgain(MODEL, new Set(tried)) };
}

/** A call in the queue, and what became of it. */
interface Waiting {
  readonly isPlain: boolean;
  readonly response: FakeResponse;
  readonly outcome: Promise<Turn | null>;
  /** Of its turn, once it has one; null: none; undefined: it waits. */
  nodeId: string | null | undefined;
  fault: unknown;
  turn: Turn | null;
}

function wait(applicant: Applicant = plain()): Waiting {
  const response = new FakeResponse();
  const client = new ClientAnswer(response, rooms.clock);
  const outcome = turns.wait(applicant, client);
  const { isPlain } = applicant;
  const waiting: Waiting = { isPlain, response, outcome, nodeId: undefined, fault: null, turn: null };
  outcome.then(
    (turn) => {
      waiting.turn = turn;
      waiting.nodeId = turn?.decision.route.hops[0]?.node.nodeId ?? null;
    },
    (fault: unknown) => (waiting.fault = fault),
  );
  return waiting;
}

function take(applicant: Applicant = plain()): Turn {
  const turn = turns.take(applicant);
  if (turn === null || turn === 'full') throw new Error('no turn');
  return turn;
}

function faultOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (fault) {
    return fault;
  }
}

/** Lets promises that are settled be heard of. */
async function heard(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const nodeOf = ({ decision }: Turn): string | undefined => decision.route.hops[0]?.node.nodeId;

describe('a turn', () => {
  it('is a route and its ticket, taken at once while there is room', () => {
    rooms.join({ wallet: 'a', maxConcurrent: 2 });
    const first = take();
    expect([nodeOf(first), rooms.health.inFlight]).toEqual(['a:all', 1]);
    take();
    expect(turns.take(plain())).toBe('full');
    expect(rooms.health.inFlight).toBe(2);
    first.open.settle(DONE);
    expect(nodeOf(take())).toBe('a:all');
  });

  it('is null where no route is left for the call, and what went wrong is thrown', () => {
    const { node } = rooms.join({ wallet: 'a' });
    expect(turns.take(retry(node))).toBeNull();
    expect(() => turns.take(plain('unknown'))).toThrow('does not exist');
    expect(rooms.health.inFlight).toBe(0);
  });

  it('gives the slot back when it is abandoned, as when it is settled', () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    take().open.abandon();
    expect(rooms.health.inFlight).toBe(0);
    take();
  });
});

describe('calls that wait', () => {
  it('are let in one by one, first in, first out', async () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    let running = take();
    const timers = rooms.clock.liveTimers;
    const line = Array.from({ length: 5 }, () => wait());
    expect(turns.waitingCount).toBe(5);
    for (const [at, next] of line.entries()) {
      running.open.settle(DONE);
      running = (await next.outcome)!;
      await heard();
      expect(line.map(({ nodeId }) => nodeId === 'a:all')).toEqual(line.map((_, place) => place <= at));
      expect([turns.waitingCount, rooms.health.inFlight]).toEqual([4 - at, 1]);
    }
    running.open.settle(DONE);
    expect([turns.waitingCount, rooms.health.inFlight, rooms.clock.liveTimers]).toEqual([0, 0, timers]);
  });

  it('are not overtaken by one that comes when a slot is free again', async () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    const running = take();
    const first = wait();
    running.open.settle(DONE);
    expect(turns.take(plain())).toBe('full');
    expect(nodeOf((await first.outcome)!)).toBe('a:all');
  });

  it('ask for a route once for all that could have any', () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    take();
    let asked = 0;
    const counting = (): Applicant => ({ ...plain(), decide: () => ((asked += 1), 'full') });
    for (let n = 0; n < 50; n += 1) wait(counting());
    asked = 0;
    rooms.join({ wallet: 'b', maxConcurrent: 1, model: MODEL });
    expect(asked).toBe(1);
  });

  it('wait per model', async () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    rooms.join({ wallet: 'b', model: 'other' });
    take();
    const waiting = wait();
    expect(nodeOf(take(plain('other')))).toBe('b:all');
    await heard();
    expect(waiting.nodeId).toBeUndefined();
  });
});

describe('a call that waits for certain nodes', () => {
  /** Two nodes with room for one call each; one of them rests, so that only pinned calls go there. */
  function oneCandidate(): void {
    rooms.join({ wallet: 'a', maxConcurrent: 1, throughputTps: 90 });
    rooms.health.rest(rooms.join({ wallet: 'b', maxConcurrent: 1, throughputTps: 10 }).node, 1e5);
  }

  it('passes those before it where they cannot go', async () => {
    oneCandidate();
    const [onA, onB] = [take(), take(pinned('b:all'))];
    const [before, pin, after] = [wait(), wait(pinned('b:all')), wait()];
    onB.open.abandon();
    await heard();
    expect([before.nodeId, pin.nodeId, after.nodeId]).toEqual([undefined, 'b:all', undefined]);
    onA.open.settle(DONE);
    await heard();
    expect([before.nodeId, after.nodeId]).toEqual(['a:all', undefined]);
  });

  it('waits for its turn where they can', async () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
    const running = take();
    const [before, pin] = [wait(), wait(pinned('a:all'))];
    running.open.settle(DONE);
    await heard();
    expect([before.nodeId, pin.nodeId]).toEqual(['a:all', undefined]);
  });

  it('takes at once what those that wait cannot have', () => {
    oneCandidate();
    take();
    wait();
    expect(turns.take(plain())).toBe('full');
    expect(nodeOf(take(pinned('b:all')))).toBe('b:all');
  });

  it('keeps nobody from the others', async () => {
    rooms.join({ wallet: 'a', maxConcurrent: 1, throughputTps: 90 });
    rooms.join({ wallet: 'b', maxConcurrent: 2, throughputTps: 10 });
    take(pinned('a:all'));
    const pin = wait(pinned('a:all'));
    expect(nodeOf(take())).toBe('b:all');
    settings.queueLength = 1;
    expect(nodeOf(take())).toBe('b:all');
    expect(turns.take(plain())).toBe('full');
    await heard();
    expect(pin.nodeId).toBeUndefined();
  });

  it('that is another attempt gets any node but those it has tried', async () => {
    const { node } = rooms.join({ wallet: 'a', maxConcurrent: 1, throughputTps: 90 });
    rooms.join({ wallet: 'b', maxConcurrent: 1, throughputTps: 10 });
    const [onA, onB] = [take(), take()];
    const again = wait(retry(node));
    onA.open.settle(DONE);
    await heard();
    expect(again.nodeId).toBeUndefined();
    onB.open.settle(DONE);
    await heard();
    expect(again.nodeId).toBe('b:all');
  });
});

describe('a call that waits wakes', () => {
  beforeEach(() => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
  });

  it('when a ticket is settled or abandoned', async () => {
    const running = take();
    const [one, two] = [wait(), wait()];
    running.open.abandon();
    await heard();
    expect([one.nodeId, two.nodeId]).toEqual(['a:all', undefined]);
    one.turn?.open.settle(DONE);
    await heard();
    expect(two.nodeId).toBe('a:all');
  });

  it('when a node joins, leaves or is let in again', async () => {
    take();
    const one = wait();
    rooms.join({ wallet: 'b', maxConcurrent: 1 });
    await heard();
    expect(one.nodeId).toBe('b:all');
    rooms.join({ wallet: 'c', maxConcurrent: 1 });
    rooms.registry.drain('c:all', null);
    const two = wait();
    await heard();
    expect(two.nodeId).toBeUndefined();
    rooms.registry.resume('c:all', null);
    await heard();
    expect(two.nodeId).toBe('c:all');
  });

  it('to hear that no node is left', async () => {
    take();
    const one = wait();
    rooms.registry.delete('a:all', null);
    await heard();
    expect(one.fault).toMatchObject({ code: 'no_route' });
    expect(turns.waitingCount).toBe(0);
  });

  it('when a breaker lets its node in again', async () => {
    take();
    const { node } = rooms.join({ wallet: 'b' });
    for (let n = 0; n < 3; n += 1) {
      rooms.health.take({ signature: 'b', hops: [{ node }] }).settle({ kind: 'failure', blame: node });
    }
    const one = wait();
    rooms.clock.advance(14_999);
    await heard();
    expect(one.nodeId).toBeUndefined();
    rooms.clock.advance(1);
    await heard();
    expect(one.nodeId).toBe('b:all');
  });

  it('when its server has finished with another model', async () => {
    rooms.join({ wallet: 'a', model: 'other', endpoint: 'http://a.test:8000', maxConcurrent: 1 });
    const running = take();
    const other = wait(plain('other'));
    await heard();
    expect(other.nodeId).toBeUndefined();
    running.open.settle(DONE);
    await heard();
    expect(other.nodeId).toBe('a:all');
  });

  it('without a route when none is left for it', async () => {
    const [node] = rooms.registry.nodes();
    rooms.join({ wallet: 'b', maxConcurrent: 1 });
    const [onA, onB] = [take(), take()];
    const again = wait(retry(node!));
    rooms.registry.delete('b:all', null);
    expect(await again.outcome).toBeNull();
    onA.open.settle(DONE);
    onB.open.settle(DONE);
    expect(rooms.health.inFlight).toBe(0);
  });

  it('alone: what goes wrong with one is nothing to the next', async () => {
    const running = take();
    const fault = new Error('the dice fell off the table');
    let isBroken = false;
    const broken = wait({
      ...plain(),
      decide: () => {
        if (isBroken) throw fault;
        return 'full';
      },
    });
    const next = wait();
    isBroken = true;
    running.open.settle(DONE);
    await heard();
    expect([broken.fault, next.nodeId]).toEqual([fault, 'a:all']);
  });
});

describe('the queue', () => {
  beforeEach(() => {
    rooms.join({ wallet: 'a', maxConcurrent: 1 });
  });

  it('is so many calls long, over all models', async () => {
    settings.queueLength = 2;
    rooms.join({ wallet: 'b', model: 'other', maxConcurrent: 1 });
    const running = take();
    take(plain('other'));
    const [first] = [wait(), wait(plain('other'))];
    const third = wait();
    await heard();
    expect(third.fault).toBeInstanceOf(QueueError);
    expect(third.fault).toMatchObject({ code: 'queue_full', retryAfterSeconds: 5 });
    expect(turns.waitingCount).toBe(2);
    running.open.settle(DONE);
    await heard();
    expect(first.nodeId).toBe('a:all');
    const fourth = wait();
    await heard();
    expect([fourth.fault, turns.waitingCount]).toEqual([null, 2]);
  });

  it('of no length lets nobody wait', async () => {
    settings.queueLength = 0;
    take();
    const one = wait();
    await heard();
    expect(one.fault).toMatchObject({ code: 'queue_full' });
  });

  it('is left after so many seconds', async () => {
    const running = take();
    const early = wait();
    rooms.clock.advance(1_000);
    const late = wait();
    rooms.clock.advance(QUEUE_MS - 1_001);
    await heard();
    expect(early.fault).toBeNull();
    rooms.clock.advance(1);
    await heard();
    expect(early.fault).toMatchObject({ code: 'queue_timeout', retryAfterSeconds: 5 });
    expect(turns.waitingCount).toBe(1);
    running.open.settle(DONE);
    await heard();
    expect([early.nodeId, late.nodeId]).toEqual([undefined, 'a:all']);
  });

  it('forgets a client that leaves, at once and for good', async () => {
    const running = take();
    const timers = rooms.clock.liveTimers;
    const [gone, next] = [wait(), wait()];
    gone.response.leaves();
    expect(turns.waitingCount).toBe(1);
    running.open.settle(DONE);
    expect(await gone.outcome).toBeNull();
    expect(nodeOf((await next.outcome)!)).toBe('a:all');
    expect([rooms.health.inFlight, rooms.clock.liveTimers]).toEqual([1, timers]);
  });

  it('has no ticket for a client that had left before it came', async () => {
    const response = new FakeResponse();
    const client = new ClientAnswer(response, rooms.clock);
    response.leaves();
    expect(await turns.wait(plain(), client)).toBeNull();
    expect([rooms.health.inFlight, turns.waitingCount]).toEqual([0, 0]);
  });

  it('does not watch a client any longer than it has to', async () => {
    const running = take();
    const one = wait();
    running.open.settle(DONE);
    await one.outcome;
    one.response.leaves();
    expect(rooms.health.inFlight).toBe(1);
    one.turn?.open.settle(DONE);
    expect(rooms.health.inFlight).toBe(0);
  });

  it('lets a call go in which the tracker itself fails', async () => {
    take();
    const response = new FakeResponse();
    const client = new ClientAnswer(response, rooms.clock);
    const fault = new Error('no more memory');
    const outcome = turns.wait(plain(), client);
    response.drains();
    client.fail(fault);
    await expect(outcome).rejects.toBe(fault);
    expect(turns.waitingCount).toBe(0);
  });

  it('lets all go when the tracker goes down', async () => {
    rooms.join({ wallet: 'b', model: 'other', maxConcurrent: 1 });
    take();
    take(plain('other'));
    const line = [wait(), wait(), wait(plain('other'))];
    turns.onModuleDestroy();
    await heard();
    for (const { fault } of line) expect(fault).toBeInstanceOf(ShuttingDownError);
    expect(turns.waitingCount).toBe(0);
  });
});

describe('whatever calls come, wait, leave and end', () => {
  it('no node has more than it may, nobody waits while there is room, and nothing is left', async () => {
    const step = fc.record({
      act: fc.constantFrom('come', 'come', 'pin', 'end', 'leave', 'time', 'join'),
      at: fc.nat(9),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        open({ queueLength: 6 });
        const a = rooms.join({ wallet: 'a', maxConcurrent: 1 }).node;
        const b = rooms.join({ wallet: 'b', maxConcurrent: 2 }).node;
        const running: Turn[] = [];
        const line: Waiting[] = [];
        const come = (applicant: Applicant): void => {
          const turn = turns.take(applicant);
          if (turn === 'full') line.push(wait(applicant));
          else if (turn !== null) running.push(turn);
        };
        for (const { act, at } of steps) {
          if (act === 'come') come(plain());
          if (act === 'pin') come(pinned(at % 2 === 0 ? 'a:all' : 'b:all'));
          if (act === 'end') running.splice(at % (running.length + 1), 1)[0]?.open.settle(DONE);
          if (act === 'leave') line[at]?.response.leaves();
          if (act === 'time') rooms.clock.advance(QUEUE_MS / 3);
          if (act === 'join') rooms.join({ wallet: 'a', maxConcurrent: 1 });
          await heard();
          for (const waiting of [...line]) {
            if (waiting.nodeId === undefined && waiting.fault === null) continue;
            line.splice(line.indexOf(waiting), 1);
            if (waiting.turn !== null) running.push(waiting.turn);
          }
          expect(rooms.health.inFlightOn(a)).toBeLessThanOrEqual(1);
          expect(rooms.health.inFlightOn(b)).toBeLessThanOrEqual(2);
          expect(rooms.health.inFlight).toBe(running.length);
          expect(turns.waitingCount).toBe(line.length);
          const hasRoom = !rooms.health.isFull(a) || !rooms.health.isFull(b);
          if (hasRoom) expect(line.filter(({ isPlain }) => isPlain)).toEqual([]);
        }
        turns.onModuleDestroy();
        await heard();
        for (const turn of running) turn.open.settle(DONE);
        expect([rooms.health.inFlight, turns.waitingCount]).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('admission', () => {
  /** Ten tokens/s at rest; with somebody there, more than the 0.101 s a token that are allowed. */
  const LIMIT = 0.101;
  const admitting = (limit: number, options: Partial<CallSettings> = {}): void => {
    open(options, { policy: 'least-expected-delay', controlShare: 0, admissionSecondsPerToken: limit });
    // Of prompts, none: what is predicted is the answer alone.
    rooms.speeds.usual = () => ({ promptTokens: 0, outputTokens: 200 });
    rooms.join({ wallet: 'a', throughputTps: 10 });
  };

  it('takes a call where nothing is under way, however slow that is', () => {
    admitting(0.000_001);
    expect(nodeOf(take())).toBe('a:all');
    expect(turns.take(plain())).toBe('full');
    expect(rooms.health.inFlight).toBe(1);
  });

  it('is nothing unless it is set', () => {
    admitting(0);
    for (let n = 0; n < 50; n += 1) take();
    expect(rooms.health.inFlight).toBe(50);
  });

  it('lets calls wait while the best route is too slow, first in, first out, and one in as each ends', async () => {
    admitting(LIMIT);
    let running = take();
    const line = Array.from({ length: 4 }, () => wait());
    for (const [at, next] of line.entries()) {
      running.open.settle(DONE);
      running = (await next.outcome)!;
      await heard();
      expect(line.map(({ nodeId }) => nodeId === 'a:all')).toEqual(line.map((_, place) => place <= at));
      expect([turns.waitingCount, rooms.health.inFlight]).toEqual([3 - at, 1]);
    }
    expect(rooms.health.inFlight).toBe(1);
  });

  it('lets as many in as the limit bears', () => {
    admitting(10);
    for (let n = 0; n < 8; n += 1) take();
    expect(rooms.health.inFlight).toBe(8);
  });

  it('asks again each second, with one timer for all, and with none once nobody waits', async () => {
    admitting(LIMIT);
    take();
    const timers = rooms.clock.liveTimers;
    let isOver = true;
    rooms.admission.isOver = () => isOver;
    const line = [wait(), wait()];
    // Each has a limit of its own.
    expect(rooms.clock.liveTimers).toBe(timers + 3);
    rooms.clock.advance(5_000);
    expect(turns.waitingCount).toBe(2);
    isOver = false;
    rooms.clock.advance(999);
    expect(turns.waitingCount).toBe(2);
    rooms.clock.advance(1);
    expect(turns.waitingCount).toBe(0);
    await Promise.all(line.map(({ outcome }) => outcome));
    expect(rooms.clock.liveTimers).toBe(timers);
  });

  it('lets one in at once where a node joins that holds nothing', async () => {
    admitting(LIMIT);
    take();
    const waiting = wait();
    rooms.join({ wallet: 'b', throughputTps: 11 });
    expect(nodeOf((await waiting.outcome)!)).toBe('b:all');
  });

  it('is not for pinned calls and retries', () => {
    admitting(LIMIT);
    take();
    expect(nodeOf(take(pinned('a:all')))).toBe('a:all');
    expect(nodeOf(take(retry()))).toBe('a:all');
  });

  it('names its setting when the queue is full, and when the wait was too long', async () => {
    admitting(LIMIT, { queueLength: 1 });
    take();
    const waiting = wait();
    const refused = wait();
    await heard();
    expect(String(refused.fault)).toMatch(/MESHNET_ADMISSION_SECONDS_PER_TOKEN.*MESHNET_QUEUE_LENGTH/);
    rooms.clock.advance(QUEUE_MS);
    await heard();
    expect(String(waiting.fault)).toMatch(/MESHNET_ADMISSION_SECONDS_PER_TOKEN.*MESHNET_QUEUE_SECONDS/);
    expect([(waiting.fault as QueueError).code, turns.waitingCount]).toEqual(['queue_timeout', 0]);
  });

  it('leaves what is unknown, or has no route, to be refused at once', () => {
    admitting(LIMIT);
    expect(() => turns.take(plain('unknown'))).toThrow('does not exist');
  });
});

describe('where every route rests', () => {
  let node: MeshNode;
  beforeEach(() => {
    node = rooms.join({ wallet: 'a' }).node;
  });

  it('a call waits for a rest that the queue allows for, and goes when it ends', async () => {
    rooms.health.rest(node, QUEUE_MS);
    expect(turns.take(plain())).toBe('full');
    const first = wait();
    const second = wait();
    rooms.clock.advance(QUEUE_MS - 1);
    await heard();
    expect([first.nodeId, second.nodeId]).toEqual([undefined, undefined]);
    rooms.clock.advance(1);
    await heard();
    expect([first.nodeId, second.nodeId, turns.waitingCount]).toEqual(['a:all', 'a:all', 0]);
  });

  it('a call is refused at once where the least rest is longer, with that rest as Retry-After', () => {
    rooms.health.rest(node, 90_000.5);
    expect(faultOf(() => turns.take(plain()))).toMatchObject({
      code: 'nodes_resting',
      retryAfterSeconds: 91,
    });
    expect(() => turns.take(plain())).toThrow(/91 s/);
  });

  it('a call that waits is refused when the rest gets longer than it may still wait', async () => {
    rooms.health.rest(node, 50_000);
    const early = wait();
    rooms.clock.advance(20_000);
    const late = wait();
    rooms.health.rest(node, 45_000);
    await heard();
    expect(early.fault).toMatchObject({ code: 'nodes_resting', retryAfterSeconds: 45 });
    expect([late.fault, late.nodeId]).toEqual([null, undefined]);
    rooms.clock.advance(45_000);
    await heard();
    expect(late.nodeId).toBe('a:all');
  });

  it('a call that waits for room is refused when the busy node asks for a long rest', async () => {
    open();
    node = rooms.join({ wallet: 'a', maxConcurrent: 1 }).node;
    const running = take();
    const waiting = wait();
    rooms.health.rest(node, 90_000);
    running.open.settle(DONE);
    await heard();
    expect(waiting.fault).toMatchObject({ code: 'nodes_resting', retryAfterSeconds: 90 });
    expect([turns.waitingCount, rooms.health.inFlight]).toEqual([0, 0]);
  });

  it('a call waits as ever where a route is only full', async () => {
    const full = rooms.join({ wallet: 'b', maxConcurrent: 1 }).node;
    rooms.health.rest(node, 90_000);
    const running = take();
    const waiting = wait();
    expect([running.decision.route.hops[0]?.node, waiting.fault]).toEqual([full, null]);
    running.open.settle(DONE);
    await heard();
    expect(waiting.nodeId).toBe('b:all');
  });

  it('a pinned call is served, and a retry ends', () => {
    rooms.health.rest(node, 90_000);
    expect(nodeOf(take(pinned('a:all')))).toBe('a:all');
    expect(turns.take(retry(rooms.join({ wallet: 'b' }).node))).toBeNull();
  });

  it('a call that waits goes when the node registers again', async () => {
    rooms.health.rest(node, 50_000);
    const waiting = wait();
    rooms.join({ wallet: 'a' });
    await heard();
    expect(waiting.nodeId).toBe('a:all');
  });
});
