import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf, errorOf } from '../support/http-client.js';
import { sendJson, wholeChat } from '../support/openai-answers.js';
import { Stage } from '../support/stage.js';
import { aChat, droppedSoon, join } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

describe('of several attempts that failed', () => {
  it.each([500, 429])('JSON that ran out of time has the last word, also after a %i', async (status) => {
    const { api } = await stage.tracker({ env: { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.2' } });
    const refusing = await stage.head((response) => sendJson(response, status, { error: { code: 'x' } }));
    const silent = await stage.head(() => undefined);
    await join(api, refusing, 'refusing', { throughput_tps: 100 });
    await join(api, silent, 'silent', { throughput_tps: 1 });
    const reply = await api.chat(aChat());
    expect([reply.status, errorOf(reply).code]).toEqual([504, 'node_timeout']);
    expect(reply.headers).toMatchObject({ 'x-should-retry': 'false', 'x-meshnet-attempts': '2' });
  });
});

describe('a stream that a ping has begun', () => {
  it('gets no JSON put into it, but the other route, or an error', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_STREAM_PING_SECONDS: '0.1' } });
    let finish = (): void => undefined;
    const json = await stage.head((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      finish = () => response.end(JSON.stringify(wholeChat()));
    });
    await join(api, json, 'json', { throughput_tps: 100 });
    const ask = async (): Promise<string> => {
      const opened = await api.openChat(aChat({ stream: true }));
      await opened.until(': ping');
      finish();
      return (await opened.rest()).text;
    };
    expect(dataOf(await ask()).map((data) => JSON.parse(data) as object)).toMatchObject([
      { error: { code: 'node_failed' } },
    ]);
    await join(api, await stage.head(), 'sse', { throughput_tps: 1 });
    expect(dataOf(await ask()).at(-1)).toBe('[DONE]');
  });
});

describe('a refusal without end', () => {
  it('is one all the same: the other route serves', async () => {
    const { api } = await stage.tracker();
    const endless = await stage.head((response) => {
      const more = (): unknown => response.destroyed || response.write('x'.repeat(64 * 1024), more);
      response.writeHead(500);
      more();
    });
    await join(api, endless, 'endless', { throughput_tps: 100 });
    await join(api, await stage.head(), 'good', { throughput_tps: 1 });
    const reply = await api.chat(aChat());
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
    await droppedSoon(endless);
  });
});
