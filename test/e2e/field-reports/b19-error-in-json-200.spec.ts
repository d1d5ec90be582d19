import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, jsonOf } from '../../support/http-client.js';
import { sendChat, sendJson, wholeChat } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, BLAMED, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const UPSTREAM_DOWN = { error: { message: 'upstream is down', code: 502 } };

const stage = new Stage();
afterEach(() => stage.end());

describe('B19 a JSON answer of status 200 is an error', () => {
  it('is an HTTP error each time, and never a sample, however fast it came', async () => {
    const { api } = await stage.tracker();
    const isError = [true, false, true, true, false, true, true, false];
    let at = 0;
    const head = await stage.head((response, chat) => {
      if (isError[at++] === true) sendJson(response, 200, UPSTREAM_DOWN);
      else sendChat(response, chat);
    });
    const nodeId = await join(api, head, 'head');

    for (const [asked, fails] of isError.entries()) {
      const reply = await api.chat(aChat());
      expect({ asked, status: reply.status }).toEqual({ asked, status: fails ? 502 : 200 });
      if (fails) {
        expect(errorOf(reply)).toEqual({
          message: 'upstream is down',
          type: 'server_error',
          param: null,
          code: '502',
        });
      }
      expect(await api.callOf(reply)).toMatchObject(
        fails
          ? { outcome: 'failed', sample: 'failed', completion_tokens: null, tps: null }
          : { outcome: 'completed', sample: 'recorded', completion_tokens: 10 },
      );
    }

    expect(await standingOf(api, nodeId)).toEqual({ ...BLAMED, samples: 3 });
  });

  it('is served by another route, which alone is learned to be fast', async () => {
    const { api } = await stage.tracker();
    const failing = await stage.head((response) => sendJson(response, 200, UPSTREAM_DOWN));
    const spare = await stage.head();
    const failingId = await join(api, failing, 'failing', { throughput_tps: 100 });
    const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });

    for (let asked = 0; asked < 8; asked += 1) {
      const reply = await api.chat(aChat());
      expect(reply.status).toBe(200);
      expect(jsonOf(reply)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    }

    expect(failing.chats.length).toBeGreaterThan(0);
    expect(await standingOf(api, failingId)).toMatchObject({ isBlamed: true, samples: 0 });
    expect(await standingOf(api, spareId)).toEqual({ ...UNTOUCHED, samples: 8 });
    expect((await api.candidate('m', failingId)).status).toBe('unsampled');
  });

  it.each([
    ['OpenAI’s shape, without a code', { error: { message: 'no', code: null } }, 502],
    ['a code of words', { error: { message: 'no', code: 'overloaded' } }, 502],
    ['a numeric status', { error: { message: 'no', status: 500 } }, 500],
    ['a bare text', { error: 'no' }, 502],
    ['vLLM’s old shape', { object: 'error', message: 'no', code: 500 }, 500],
    ['empty choices beside it', { error: { message: 'no', code: 503 }, choices: [] }, 503],
  ])('is an HTTP error in %s', async (_what, body, status) => {
    const { api } = await stage.tracker();
    const nodeId = await join(api, await stage.head((response) => sendJson(response, 200, body)), 'head');

    const reply = await api.chat(aChat());

    expect(reply.status).toBe(status);
    expect(errorOf(reply)).toMatchObject({ message: 'no', type: 'server_error' });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it.each([
    [400, 'refused'],
    [422, 'refused'],
    [429, 'busy'],
  ])('of code %i is not held against the node', async (code, outcome) => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, 200, { error: { message: 'no', code } }));
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(aChat());

    expect(reply.status).toBe(code);
    expect((await api.callOf(reply)).outcome).toBe(outcome);
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('is no error where there are choices, or where error is empty', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const nodeId = await join(api, head, 'head');

    for (const error of [null, '', { message: 'a warning' }]) {
      head.answer((response) => sendJson(response, 200, { ...wholeChat(), error }));
      expect((await api.chat(aChat())).status).toBe(200);
    }

    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 3 });
  });

  it.each([
    [500, 'failed', true],
    [400, 'refused', false],
  ])('is no success either where it is too long to be held (code %i)', async (code, outcome, isBlamed) => {
    const { api } = await stage.tracker();
    const text = JSON.stringify({ error: { message: 'no', code, trace: 'x'.repeat(200_000) } });
    const nodeId = await join(api, await stage.head((response) => sendJson(response, 200, text)), 'head');

    const reply = await api.chat(aChat());

    expect(reply).toMatchObject({ text, isWhole: true });
    expect(await api.callOf(reply)).toMatchObject({ outcome, sample: 'failed' });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, isBlamed });
  });

  it('is charged to the hop that the head names, and that hop alone is left out of the next attempt', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response, chat) => {
      const { hops } = JSON.parse(String(chat.headers['x-meshnet-route'])) as { hops: { node_id: string }[] };
      if (hops[1]?.node_id !== 'big:4-9') sendChat(response, chat);
      else sendJson(response, 200, { error: { message: 'no', code: 'hop_failed', node_id: 'big:4-9' } });
    });
    const tail = await stage.head();
    const shards = [
      { wallet: 'head', endpoint: head.url, shard_start: 0, shard_end: 4 },
      { wallet: 'big', endpoint: tail.url, shard_start: 4, shard_end: 9, throughput_tps: 9 },
      { wallet: 'small', endpoint: tail.url.replace('127.0.0.1', 'localhost'), shard_start: 5, shard_end: 9 },
    ];
    for (const shard of shards) await api.register({ model: 'm', num_layers: 10, ...shard });

    const reply = await api.chat(aChat());

    expect(reply.status).toBe(200);
    expect(reply.headers['x-meshnet-attempts']).toBe('2');
    expect(head.chats.length).toBe(2);
    const reputations = Object.fromEntries(
      (await api.nodes()).map(({ node_id, reputation }) => [node_id, reputation]),
    );
    expect(reputations).toEqual({ 'head:0-4': 1, 'big:4-9': expect.any(Number), 'small:5-9': 1 });
    expect(reputations['big:4-9']).toBeLessThan(1);
    expect(await api.inFlight('m')).toEqual({ nodes: 0, routes: 0 });
  });
});
