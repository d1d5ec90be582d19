import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WatchedCall } from '../../node-speeds/index.js';
import { AttemptWatch, type Underway, type WatchEnd } from './attempt-watch.js';

const END: WatchEnd = {
  outcome: 'completed',
  usage: { promptTokens: 9, completionTokens: 20 },
  contentChunks: 19,
  heldUpMs: 0,
  elapsedMs: 12_000,
};

let told: unknown[][];
let over: number;
let underway: { -readonly [K in keyof Underway]: Underway[K] };
beforeEach(() => {
  told = [];
  over = 0;
  underway = { contentChunks: 0, sawToolCall: false, heldUpMs: 0 };
});

function watch(isStream = true): AttemptWatch {
  const note =
    (what: string) =>
    (...how: unknown[]): void =>
      void told.push([what, ...how]);
  const call = {
    firstToken: note('first'),
    look: note('look'),
    toolCallBegan: note('tool'),
    finished: note('finished'),
    ended: note('ended'),
  } as unknown as WatchedCall;
  const made = new AttemptWatch(
    call,
    { isStream, promptTokens: 5 },
    1000,
    () => 13_000,
    () => (over += 1),
  );
  made.follow(underway);
  return made;
}

describe('a watched attempt', () => {
  it('tells its first token once, in seconds', () => {
    const watched = watch();
    watched.heardContent(2500);
    watched.heardContent(3000);
    expect(told).toEqual([['first', 2.5]]);
  });

  it('is looked at every five seconds, however often it is asked to', () => {
    const watched = watch();
    for (let now = 1000; now <= 12_000; now += 1000) {
      underway.contentChunks = now / 1000;
      watched.look(now);
    }
    expect(told).toEqual([
      ['look', 6, 6],
      ['look', 11, 11],
    ]);
  });

  it('says nothing of its pace once it calls a tool, nor of a first token that is one', () => {
    const watched = watch();
    underway.sawToolCall = true;
    watched.heardContent(2000);
    watched.look(6000);
    expect(told.map(([what]) => what)).toEqual(['tool', 'tool', 'look']);
  });

  it('says nothing of its pace once its client has held it up', () => {
    const watched = watch();
    underway.heldUpMs = 400;
    watched.look(6000);
    expect(told).toEqual([['look', 0, 6]]);
    underway.heldUpMs = 1000;
    watched.look(11_000);
    expect(told.slice(1)).toEqual([['tool'], ['look', 0, 11]]);
  });

  it('tells its end as the head counted, the prompt as it was guessed where that is not told', () => {
    watch().settle(END);
    watch().settle({ ...END, usage: { promptTokens: null, completionTokens: 20 } });
    expect(told).toEqual([
      ['finished', { promptTokens: 9, outputTokens: 20 }, 19, 13],
      ['finished', { promptTokens: 5, outputTokens: 20 }, 19, 13],
    ]);
    expect(over).toBe(2);
  });

  it.each([
    ['nobody counted', { usage: null }],
    ['nothing came', { usage: { promptTokens: 9, completionTokens: 0 } }],
    ['the client read slowly', { heldUpMs: 2000 }],
  ])('is no measurement as a whole where %s', (_, more) => {
    watch(false).settle({ ...END, ...more });
    expect(told).toEqual([['finished', null, 19, 13]]);
  });

  it.each([
    'failed',
    'cut_off',
    'client_left',
    'timed_out',
    'busy',
    'refused',
    'misconfigured',
    'abandoned',
  ] as const)('is only counted out when it is %s', (outcome) => {
    watch().settle({ ...END, outcome });
    expect(told).toEqual([['ended']]);
    expect(over).toBe(1);
  });

  it('is only counted out when it is abandoned', () => {
    watch().abandon();
    expect([told, over]).toEqual([[['ended']], 1]);
  });
});
