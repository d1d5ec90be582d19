import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { FakeHead } from '../../support/fake-head.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import type { Reply } from '../../support/http-client.js';
import { aChat, join, MODEL } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** Responds to no chat until `release` was called. */
async function heldHead(): Promise<{ readonly head: FakeHead; readonly release: () => void }> {
  const held: (() => void)[] = [];
  let isReleased = false;
  const head = await stage.head((response, chat) => {
    if (isReleased) sendChat(response, chat);
    else held.push(() => sendChat(response, chat));
  });
  return {
    head,
    release: () => {
      isReleased = true;
      for (const answer of held.splice(0)) answer();
    },
  };
}

async function queued({ api }: StagedTracker): Promise<number> {
  return (await api.calls('?open=true')).filter(({ phase }) => phase === 'queued').length;
}

const POLICIES = ['proportional', 'least-expected-delay'];
const ENUMERATIONS = ['greedy', 'diverse'];
const CASES = POLICIES.flatMap((policy) => ENUMERATIONS.map((enumeration) => [policy, enumeration] as const));

describe.each(CASES)('C26: twelve servers with one slot each, by %s and %s', (policy, enumeration) => {
  it('serve twelve chats at once, one each; none waits', async () => {
    const env = { MESHNET_ROUTE_POLICY: policy, MESHNET_ROUTE_ENUMERATION: enumeration };
    const tracker = await stage.tracker({ env: { ...env, MESHNET_QUEUE_LENGTH: '1' } });
    const heads = await Promise.all(Array.from({ length: 12 }, heldHead));
    for (const [at, { head }] of heads.entries()) {
      await join(tracker.api, head, `w${String(at)}`, { max_concurrent: 1, throughput_tps: 1 + at });
    }
    const replies = heads.map((_, n) => tracker.api.chat(aChat({ n })));
    await eventually(() => expect(heads.map(({ head }) => head.chats.length)).toEqual(heads.map(() => 1)));
    expect(await queued(tracker)).toBe(0);
    const thirteenth = tracker.api.chat(aChat());
    await eventually(async () => expect(await queued(tracker)).toBe(1));
    for (const { release } of heads) release();
    for (const reply of await Promise.all([...replies, thirteenth])) expect(reply.status).toBe(200);
    const table = await tracker.api.routing(MODEL);
    expect([table.candidates.length, table.candidates_left_out]).toEqual([12, 0]);
    const shares = table.candidates.reduce((sum, { traffic_share }) => sum + traffic_share, 0);
    expect(shares).toBeCloseTo(1, 9);
  });
});

interface Mesh {
  readonly tracker: StagedTracker;
  readonly head: FakeHead;
  readonly release: () => void;
}

/** One head with much room, and tails of equal layers that have one slot each. */
async function headAndTails(
  tails: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Mesh> {
  const tracker = await stage.tracker({ env });
  const { head, release } = await heldHead();
  const layers = { model: MODEL, num_layers: 20 };
  const register = (wallet: string, more: object): Promise<unknown> =>
    tracker.api.register({ ...layers, wallet, ...more });
  await register('head', { endpoint: head.url, shard_start: 0, shard_end: 9 });
  for (const tail of tails) {
    const endpoint = `http://${tail}.test`;
    await register(tail, { endpoint, shard_start: 10, shard_end: 19, max_concurrent: 1 });
  }
  return { tracker, head, release };
}

function tailOf({ headers }: { readonly headers: FakeHead['last']['headers'] }): string {
  return /t[abc](?=:10-19)/.exec(String(headers['x-meshnet-route']))?.[0] ?? 'none';
}

describe('C26: one head and equal tails with one slot each', () => {
  it('the next tail is used when the one before is full; then a chat waits', async () => {
    const { tracker, head, release } = await headAndTails(['ta', 'tb', 'tc']);
    const replies: Promise<Reply>[] = [];
    for (const count of [1, 2, 3]) {
      replies.push(tracker.api.chat(aChat()));
      await eventually(() => expect(head.chats).toHaveLength(count));
    }
    expect(head.chats.map(tailOf)).toEqual(['ta', 'tb', 'tc']);
    replies.push(tracker.api.chat(aChat()));
    await eventually(async () => expect(await queued(tracker)).toBe(1));
    expect(head.chats).toHaveLength(3);
    release();
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  });

  it('a record names the full route too', async () => {
    const { tracker, head, release } = await headAndTails(['ta', 'tb']);
    const first = tracker.api.chat(aChat());
    await eventually(() => expect(head.chats).toHaveLength(1));
    const second = tracker.api.chat(aChat());
    await eventually(() => expect(head.chats).toHaveLength(2));
    release();
    const [, reply] = await Promise.all([first, second]);
    const { attempts } = (await tracker.api.callOf(reply)) as unknown as {
      attempts: { candidates: { signature: string; left_out: string | null }[] }[];
    };
    const [candidates] = attempts.map((attempt) => attempt.candidates);
    expect(candidates?.map(({ left_out }) => left_out)).toEqual([null, 'full']);
    expect(candidates?.[0]?.signature).toContain('tb:10-19');
  });

  it('a retry uses a tail with room past a full one', async () => {
    const { tracker, head, release } = await headAndTails(['ta', 'tb', 'tc']);
    const first = tracker.api.chat(aChat());
    await eventually(() => expect(head.chats).toHaveLength(1));
    let failures = 1;
    head.answer((response, chat) => {
      const fault = { message: 'gone', code: 'hop_failed', node_id: `${tailOf(chat)}:10-19` };
      failures -= 1;
      if (failures >= 0) sendJson(response, 502, { error: fault });
      else sendChat(response, chat);
    });
    const retried = await tracker.api.chat(aChat());
    expect([retried.status, retried.headers['x-meshnet-attempts']]).toEqual([200, '2']);
    expect(head.chats.map(tailOf)).toEqual(['ta', 'tb', 'tc']);
    release();
    expect((await first).status).toBe(200);
  });
});

describe('C26: what records keep of many candidates', () => {
  it('is the best eight and the chosen one, with the shares of the whole choice', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_ROUTE_SEED: '3' } });
    const head = await stage.head();
    await join(tracker.api, head, 'good', { throughput_tps: 20 });
    for (let at = 0; at < 29; at += 1) {
      const endpoint = `http://w${String(at)}.test`;
      await tracker.api.register({ wallet: `w${String(at)}`, endpoint, model: MODEL, throughput_tps: 1 });
    }
    const reply = await tracker.api.chat(aChat());
    const record = (await tracker.api.callOf(reply)) as unknown as {
      attempts: { candidates: { signature: string; traffic_share: number }[]; candidates_not_kept: number }[];
    };
    const [attempt] = record.attempts;
    expect([attempt?.candidates.length, attempt?.candidates_not_kept]).toEqual([8, 22]);
    expect(attempt?.candidates.map(({ traffic_share }) => traffic_share)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(attempt?.candidates[0]?.signature).toBe(`${MODEL}|good:all[0-0]`);
    expect((await tracker.api.routing(MODEL)).candidates).toHaveLength(30);
  });
});
