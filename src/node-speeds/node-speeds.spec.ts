import { beforeEach, describe, expect, it } from '@jest/globals';
import { SpeedSettings } from '../settings/index.js';
import type { SpeedHop } from './node-state.js';
import { NodeSpeeds } from './node-speeds.js';
import { speedConstants } from './speed-constants.js';

const MODEL = 'm';
const ASK = { promptTokens: 0, mostOutputTokens: 100 };

function hop(nodeKey: string, stated: Partial<SpeedHop> = {}): SpeedHop {
  return { nodeKey, registeredTps: 10, assumedTps: 10, layers: 20, shardLayers: 20, ...stated };
}

let speeds: NodeSpeeds;
let now: number;

beforeEach(() => {
  speeds = new NodeSpeeds(speedConstants(new SpeedSettings()));
  now = 1000;
});

function secondsOf(...hops: SpeedHop[]): number {
  return speeds.expect(MODEL, hops, ASK, now).seconds;
}

/** A stream of so many tokens/s that is looked at every 5 s. */
function stream(
  hops: readonly SpeedHop[],
  tps: number,
  { looks = 12, chunksPerToken = 1, waits = 0.5 } = {},
): void {
  const call = speeds.begin(MODEL, hops, { promptTokens: 0, mostOutputTokens: null, isStream: true }, now);
  now += waits;
  call.firstToken(now);
  for (let at = 1; at <= looks; at += 1) {
    now += 5;
    call.look(at * 5 * tps * chunksPerToken, now);
  }
  const tokens = looks * 5 * tps;
  call.finished({ promptTokens: 10, outputTokens: tokens }, tokens * chunksPerToken, now);
}

describe('before anything is seen', () => {
  it('a route takes what its nodes registered, for the layers that they run', () => {
    expect(secondsOf(hop('a'), hop('b', { layers: 10 }))).toBeCloseTo(15, 5);
  });

  it('a node that registered none takes what is assumed', () => {
    expect(secondsOf(hop('a', { registeredTps: null, assumedTps: 5 }))).toBeCloseTo(20, 5);
  });

  it('an answer is expected to be no longer than the client lets it be', () => {
    const long = speeds.expect(MODEL, [hop('a')], { promptTokens: 0, mostOutputTokens: 1e9 }, now).seconds;
    const short = speeds.expect(MODEL, [hop('a')], { promptTokens: 0, mostOutputTokens: 1 }, now).seconds;
    expect(short).toBeCloseTo(0.1, 5);
    expect(long).toBeGreaterThan(10);
  });
});

describe('a stream', () => {
  it('tells of its node while it runs, and of every route over that node', () => {
    stream([hop('a')], 5);
    expect(secondsOf(hop('a'))).toBeGreaterThan(17);
    expect(secondsOf(hop('b'), hop('a'))).toBeGreaterThan(27);
    expect(secondsOf(hop('b'))).toBeCloseTo(10, 5);
  });

  it('counts at once on each of its nodes, until it ends', () => {
    const before = secondsOf(hop('a'));
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    const calls = [1, 2, 3].map(() => speeds.begin(MODEL, [hop('b'), hop('a')], start, now));
    expect(secondsOf(hop('a'))).toBeGreaterThan(before * 1.5);
    for (const call of calls) {
      call.ended();
      call.ended();
    }
    expect(secondsOf(hop('a'))).toBeCloseTo(before, 5);
  });

  it('that fails says nothing of speed', () => {
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    const call = speeds.begin(MODEL, [hop('a')], start, now);
    now += 500;
    call.ended();
    call.finished({ promptTokens: 1, outputTokens: 1 }, 1, now);
    call.look(0, now);
    expect(secondsOf(hop('a'))).toBeCloseTo(10, 5);
  });

  it('that stays silent tells before it ends', () => {
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    const call = speeds.begin(MODEL, [hop('a')], start, now);
    for (let at = 0; at < 12; at += 1) call.look(0, (now += 5));
    expect(secondsOf(hop('a'))).toBeGreaterThan(15);
  });

  it('that stalls in the middle tells as well', () => {
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    const call = speeds.begin(MODEL, [hop('a')], start, now);
    call.firstToken((now += 0.1));
    for (let at = 0; at < 12; at += 1) call.look(0, (now += 5));
    expect(secondsOf(hop('a'))).toBeGreaterThan(20);
  });

  it('says nothing once a tool call has begun', () => {
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    const call = speeds.begin(MODEL, [hop('a')], start, now);
    call.firstToken((now += 0.1));
    const before = speeds.beliefOf(MODEL, 'a', now)!.secondsFactor;
    call.toolCallBegan();
    for (let at = 0; at < 12; at += 1) call.look(0, (now += 5));
    call.ended();
    expect(speeds.beliefOf(MODEL, 'a', now)!.secondsFactor).toBeCloseTo(before, 2);
  });

  it('is measured in tokens, however many of them come in a chunk', () => {
    for (let times = 0; times < 20; times += 1) stream([hop('a')], 10, { chunksPerToken: 0.25, waits: 0.1 });
    expect(secondsOf(hop('a'))).toBeGreaterThan(9);
    expect(secondsOf(hop('a'))).toBeLessThan(12);
  });
});

describe('a whole answer', () => {
  it('tells how slow a node is', () => {
    for (let times = 0; times < 4; times += 1) {
      const start = { promptTokens: 0, mostOutputTokens: null, isStream: false };
      const call = speeds.begin(MODEL, [hop('a')], start, now);
      now += 30;
      call.finished({ promptTokens: 0, outputTokens: 100 }, 0, now);
    }
    expect(secondsOf(hop('a'))).toBeGreaterThan(25);
  });

  it('teaches how long answers are, and a long prompt what prompts cost on that node', () => {
    for (let times = 0; times < 20; times += 1) {
      stream([hop('a')], 10, { waits: 0.1 });
      const start = { promptTokens: 10_000, mostOutputTokens: null, isStream: true };
      const call = speeds.begin(MODEL, [hop('a')], start, now);
      call.firstToken((now += 10));
      call.finished({ promptTokens: 10_000, outputTokens: 600 }, 600, now);
    }
    const ask = { promptTokens: 10_000, mostOutputTokens: 1 };
    expect(speeds.expect(MODEL, [hop('a')], ask, now).seconds).toBeLessThan(25);
    expect(speeds.expect(MODEL, [hop('b')], ask, now).seconds).toBeGreaterThan(90);
    expect(speeds.usual(MODEL, now).outputTokens).toBeGreaterThan(500);
  });
});

describe('with time', () => {
  it('a slowdown of a registered node is mostly forgotten within an hour', () => {
    stream([hop('a')], 2);
    const slow = secondsOf(hop('a'));
    now += 3600;
    expect(slow).toBeGreaterThan(30);
    expect(secondsOf(hop('a'))).toBeLessThan(slow / 1.8);
  });

  it('a node without a registered speed comes back to its own mean, not to what was assumed', () => {
    const open = hop('a', { registeredTps: null });
    for (let times = 0; times < 60; times += 1) {
      stream([open], 2);
      now += 600;
    }
    now += 3 * 3600;
    expect(secondsOf(open)).toBeGreaterThan(35);
    expect(secondsOf(open)).toBeLessThan(60);
  });

  it('a node that registers another speed is as fast as it was, and tends to what it says now', () => {
    stream([hop('a')], 5);
    const before = secondsOf(hop('a'));
    expect(secondsOf(hop('a', { registeredTps: 40 }))).toBeCloseTo(before, 3);
    now += 24 * 3600;
    expect(secondsOf(hop('a', { registeredTps: 40 }))).toBeLessThan(6);
  });

  it('nodes unheard of for a day are dropped, and those of a forgotten model at once', () => {
    stream([hop('a')], 5);
    expect(speeds.beliefOf(MODEL, 'a', now)?.secondsFactor).toBeGreaterThan(1.5);
    speeds.prune(now + 23 * 3600);
    expect(speeds.beliefOf(MODEL, 'a', now)).not.toBeNull();
    speeds.prune(now + 25 * 3600);
    expect(speeds.beliefOf(MODEL, 'a', now)).toBeNull();
    stream([hop('a')], 5);
    speeds.forget(MODEL);
    expect(speeds.beliefOf(MODEL, 'a', now)).toBeNull();
  });

  it('no more nodes than a bound are kept, and none that a call is on is dropped', () => {
    const start = { promptTokens: 0, mostOutputTokens: null, isStream: true };
    speeds.begin(MODEL, [hop('held')], start, now);
    for (let at = 0; at < 20_050; at += 1) secondsOf(hop(`n${at}`));
    expect(speeds.beliefOf(MODEL, 'n0', now)).toBeNull();
    expect(speeds.beliefOf(MODEL, 'n20049', now)).not.toBeNull();
    expect(speeds.beliefOf(MODEL, 'held', now)).not.toBeNull();
  });
});
