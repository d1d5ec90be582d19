import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { sendChat } from '../support/openai-answers.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { Stage } from '../support/stage.js';
import { aChat, join, received } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

async function twoNodes() {
  const clock = new ShiftedClock();
  const { api } = await stage.tracker({
    parts: { clock },
    env: { MESHNET_STREAM_PING_SECONDS: '0', MESHNET_ROUTE_EXPLORE_SHARE: '0' },
  });
  const silent = await stage.head();
  const other = await stage.head();
  const id = await join(api, silent, 'silent', { throughput_tps: 1000 });
  await join(api, other, 'other', { throughput_tps: 1 });
  const weight = async (): Promise<number> => {
    const { candidates } = await api.routing('m');
    return candidates.find(({ hops }) => hops[0]?.node_id === id)?.weight ?? 0;
  };
  return { clock, api, silent, id, weight };
}

describe('a node that falls silent', () => {
  it('loses evidence once two callers have waited five times as long as usual, and gets it back with a sample', async () => {
    const { clock, api, silent, id, weight } = await twoNodes();
    for (let n = 0; n < 6; n += 1) await api.chat(aChat({ stream: true, route: [id] }));
    const before = await weight();
    silent.answer(() => undefined);
    const first = api.startChat(aChat({ stream: true }));
    await received(silent, 7);
    clock.shift(5_000);
    expect(await weight()).toBeGreaterThan(before * 0.9);
    const second = api.startChat(aChat({ stream: true, route: [id] }));
    await received(silent, 8);
    clock.shift(5_000);
    await eventually(async () => expect(await weight()).toBeLessThan(before * 0.55));
    first.destroy();
    second.destroy();
    silent.answer(sendChat);
    const low = await weight();
    await api.chat(aChat({ stream: true, route: [id] }));
    expect(await weight()).toBeGreaterThan(low);
  });

  it('whose speed was never measured stands behind the others', async () => {
    const { clock, api, silent } = await twoNodes();
    silent.answer(() => undefined);
    const chats = [api.startChat(aChat({ stream: true })), api.startChat(aChat({ stream: true }))];
    await received(silent, 2);
    clock.shift(31_000);
    expect((await api.chat(aChat({ stream: true }))).status).toBe(200);
    expect(silent.chats.length).toBe(2);
    chats.forEach((chat) => chat.destroy());
  });
});
