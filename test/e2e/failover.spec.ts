import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/http-client.js';
import { sendJson } from '../support/openai-answers.js';
import { Stage } from '../support/stage.js';
import { aChat, join } from '../support/whole-model.js';

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
