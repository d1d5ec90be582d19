import type { OutgoingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sendJson, SSE_HEADERS, DONE, textChunk, wholeChat } from '../support/openai-answers.js';
import { send, type Reply } from '../support/http-client.js';
import { Stage } from '../support/stage.js';

const MODEL = 'm';
const APP = 'https://app.example';
const ADMIN = 'the-key-of-an-operator';

const stage = new Stage();
afterEach(() => stage.end());

/** What a server says of browsers and limits is about itself, not about the tracker. */
const OF_THE_HEAD: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'x-of-the-head',
  'x-ratelimit-limit-requests': '1',
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': '9s',
  'content-security-policy': 'default-src *',
  'strict-transport-security': 'max-age=1',
  'clear-site-data': '"*"',
  'alt-svc': 'h2="evil:443"',
  vary: 'x-of-the-head',
  refresh: '0;url=http://evil.example',
};

async function answered(kind: 'json' | 'stream' | 'refusal', env: Record<string, string>): Promise<Reply> {
  const head = await stage.head((response) => {
    for (const [name, value] of Object.entries(OF_THE_HEAD)) response.setHeader(name, value ?? '');
    if (kind === 'json') sendJson(response, 200, wholeChat());
    else if (kind === 'refusal') sendJson(response, 400, { error: { message: 'no', code: 400 } });
    else response.writeHead(200, SSE_HEADERS).end(textChunk('x') + DONE);
  });
  const tracker = await stage.tracker({ env });
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL });
  return send(`${tracker.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { origin: APP },
    body: { model: MODEL, messages: [], stream: kind === 'stream' },
  });
}

describe('what a head says to browsers and of its own limits', () => {
  it.each(['json', 'stream', 'refusal'] as const)('does not reach a client with a %s', async (kind) => {
    const { headers } = await answered(kind, { MESHNET_CORS_ORIGINS: APP });
    expect(headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'origin' });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-expose-headers']).toContain('x-meshnet-route');
    for (const name of Object.keys(OF_THE_HEAD)) {
      expect(String(headers[name])).not.toBe(String(OF_THE_HEAD[name]));
    }
  });
});

describe('a key of this tracker', () => {
  const basic = `Basic ${Buffer.from(`me:${ADMIN}`).toString('base64')}`;

  it.each([
    ['MESHNET_ADMIN_KEYS', `Bearer ${ADMIN}`],
    ['MESHNET_NODE_TOKENS', `Bearer ${ADMIN}`],
    ['MESHNET_ADMIN_KEYS', basic],
    ['MESHNET_ADMIN_KEYS', `Basic ${Buffer.from(`${ADMIN}:`).toString('base64')}`],
    ['MESHNET_ADMIN_KEYS', `Basic ${Buffer.from(ADMIN).toString('base64')}`],
    ['MESHNET_ADMIN_KEYS', `Token ${ADMIN}`],
    ['MESHNET_ADMIN_KEYS', ADMIN],
    ['MESHNET_ADMIN_KEYS', `Bearer other, Bearer ${ADMIN}`],
    ['MESHNET_ADMIN_KEYS', `Bearer ${ADMIN} x`],
    ['MESHNET_ADMIN_KEYS', `Bearer "${ADMIN}"`],
    ['MESHNET_ADMIN_KEYS', ` \tBearer\t${ADMIN}`],
    ['MESHNET_ADMIN_KEYS', [`Bearer ${ADMIN}`, 'Bearer other']],
    ['MESHNET_ADMIN_KEYS', ['Bearer other', `Bearer ${ADMIN}`]],
  ])('of %s is no node’s to see either, where chats ask for none', async (variable, authorization) => {
    const head = await stage.head();
    const tracker = await stage.tracker({
      env: { [variable]: `ops=${ADMIN}`, MESHNET_FORWARD_AUTHORIZATION: 'true' },
    });
    await send(`${tracker.url}/v1/nodes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}` },
      body: { wallet: 'w', endpoint: head.url, model: MODEL },
    });
    const reply = await send(`${tracker.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization },
      body: { model: MODEL, messages: [] },
    });
    expect(reply.status).toBe(200);
    expect(head.last.headers.authorization).toBeUndefined();
    expect(JSON.stringify(head.last.headers)).not.toContain(ADMIN);
  });
});
