import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { FakeHead } from '../../support/fake-head.js';
import { sendChat } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const NEWCOMER = 'c';
const stage = new Stage();
afterEach(() => stage.end());

/** Holds the chats of all its heads until it is opened. */
class Gate {
  private isOpen = true;
  private readonly waiting: (() => void)[] = [];

  async head(): Promise<FakeHead> {
    return stage.head((response, chat) => {
      if (this.isOpen) sendChat(response, chat);
      else this.waiting.push(() => sendChat(response, chat));
    });
  }

  close(): void {
    this.isOpen = false;
  }

  open(): void {
    this.isOpen = true;
    for (const answer of this.waiting.splice(0)) answer();
  }
}

interface Warm {
  readonly tracker: StagedTracker;
  readonly gate: Gate;
  readonly heads: readonly FakeHead[];
}

async function join({ api }: StagedTracker, wallet: string, head: FakeHead): Promise<string> {
  const body = { wallet, endpoint: head.url, model: MODEL, throughput_tps: 20 };
  return (await api.register(body)).lease_id;
}

/** Two nodes whose speeds were measured. */
async function warm(): Promise<Warm> {
  const tracker = await stage.tracker();
  const gate = new Gate();
  const heads = [await gate.head(), await gate.head()];
  for (const [at, head] of heads.entries()) await join(tracker, 'ab'.charAt(at), head);
  for (const pin of ['a:all', 'b:all']) {
    expect((await tracker.api.chat({ model: MODEL, route: [pin] })).status).toBe(200);
  }
  return { tracker, gate, heads };
}

async function learned({ api }: StagedTracker): Promise<unknown[]> {
  const rows = await Promise.all(['a:all', 'b:all'].map((id) => api.candidate(MODEL, id)));
  return rows.map(({ tps, sample_count, status }) => ({ tps, sample_count, status }));
}

describe('B45: a node that comes or goes', () => {
  it('leaves what was measured of the others, to be shown until it is measured again', async () => {
    const { tracker, gate } = await warm();
    const { api } = tracker;
    const before = await learned(tracker);
    expect(before).toMatchObject([
      { status: 'proven', sample_count: 1 },
      { status: 'proven', sample_count: 1 },
    ]);
    const stale = before.map((row) => ({ ...(row as object), status: 'stale' }));
    const newcomer = await gate.head();
    let lease = await join(tracker, NEWCOMER, newcomer);
    expect(await learned(tracker)).toEqual(stale);
    for (let flap = 0; flap < 20; flap += 1) {
      expect((await api.ask('DELETE', `/v1/leases/${lease}`)).status).toBe(204);
      expect(await learned(tracker)).toEqual(stale);
      lease = await join(tracker, NEWCOMER, newcomer);
    }
    expect(await learned(tracker)).toEqual(stale);
    await api.chat({ model: MODEL, route: ['a:all'] });
    expect(await learned(tracker)).toMatchObject([{ status: 'proven', sample_count: 2 }, stale[1]]);
  });

  it('starts from what it declared, and gets its even part of a crowd that comes at once', async () => {
    const { tracker, gate, heads } = await warm();
    const { api } = tracker;
    const newcomer = await gate.head();
    await join(tracker, NEWCOMER, newcomer);
    expect(await api.candidate(MODEL, 'c:all')).toMatchObject({
      status: 'unsampled',
      tps: null,
      prior_tps: 20,
    });
    gate.close();
    const earlier = heads.map(({ chats }) => chats.length);
    const crowd = Array.from({ length: 20 }, () => api.chat({ model: MODEL }));
    const shares = await eventually(() => {
      const counts = [
        ...heads.map(({ chats }, at) => chats.length - (earlier[at] ?? 0)),
        newcomer.chats.length,
      ];
      expect(counts.reduce((sum, count) => sum + count)).toBe(20);
      return counts;
    });
    expect(Math.min(...shares)).toBe(6);
    expect(Math.max(...shares)).toBe(7);
    expect((await api.candidate(MODEL, 'c:all')).prior_tps).toBeCloseTo(20 / (1 + (shares[2] ?? 0)));
    gate.open();
    expect((await Promise.all(crowd)).every(({ status }) => status === 200)).toBe(true);
  });
});
