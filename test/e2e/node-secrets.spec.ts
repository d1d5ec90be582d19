import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, send } from '../support/http-client.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage } from '../support/stage.js';

const MODEL = 'm';
const CANARY = 'CANARY-of-a-node';
const OWN = 'Bearer sk-of-the-client-itself';
const KEY = 'the-key-of-a-client';

const stage = new Stage();
afterEach(() => stage.end());

describe('what a node asks of whoever calls it', () => {
  it.each([
    ['past Nest', {}],
    ['through Nest', { 'content-type': 'application/json; charset=UTF-8; x=y' }],
  ])('registered %s, is sent to it alone and stands nowhere', async (_, headers) => {
    const logger = new SilentLogger();
    const [one, other, tracker] = await Promise.all([
      stage.head(),
      stage.head(),
      stage.tracker({ parts: { logger } }),
    ]);
    const register = (wallet: string, model: string, endpoint: string, more: object) =>
      send(`${tracker.url}/v1/nodes`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ wallet, model, endpoint, ...more }),
      });
    const registered = await register('one', MODEL, one.url, { api_key: CANARY });
    expect(registered.status).toBe(201);
    await register('other', 'm2', other.url, {});
    const told = [
      registered,
      await tracker.api.chat({ model: MODEL }),
      await tracker.api.chat({ model: 'm2' }),
    ];
    expect(one.chats[0]?.headers.authorization).toBe(`Bearer ${CANARY}`);
    expect(other.chats[0]?.headers.authorization).toBeUndefined();
    const pages = ['/v1/nodes', '/v1/routing', '/v1/calls', '/v1/timeline', '/metrics', '/openapi.json'];
    told.push(...(await Promise.all(pages.map((path) => tracker.api.get(path)))));
    expect(told.map(({ text }) => text).join() + JSON.stringify(logger.lines)).not.toContain(CANARY);
  });

  it('is gone once it registers without', async () => {
    const [head, tracker] = await Promise.all([stage.head(), stage.tracker()]);
    const node = { wallet: 'w', endpoint: head.url, model: MODEL };
    await tracker.api.register({ ...node, api_key: CANARY });
    await tracker.api.register(node);
    await tracker.api.chat({ model: MODEL });
    expect(head.chats[0]?.headers.authorization).toBeUndefined();
  });

  it.each(['', 'with blanks', 'line\nfeed', 'line\r\nx-injected: 1', 'ü', 'x'.repeat(513), 7, {}])(
    'is refused as %j, and not repeated',
    async (api_key) => {
      const tracker = await stage.tracker();
      const reply = await tracker.api.ask('POST', '/v1/nodes', {
        wallet: 'w',
        endpoint: 'http://h:1',
        model: MODEL,
        api_key,
      });
      expect(reply.status).toBe(400);
      expect(errorOf(reply).param).toBe('api_key');
      expect(reply.text).not.toMatch(/injected|blanks/);
    },
  );
});

describe('a client’s own Authorization', () => {
  const ask = async (env: Record<string, string>, authorization: string, more: object = {}) => {
    const [head, tracker] = await Promise.all([stage.head(), stage.tracker({ env })]);
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL, ...more });
    const reply = await tracker.api.chat({ model: MODEL }, { headers: { authorization } });
    expect(reply.status).toBe(200);
    return head.chats[0]?.headers.authorization;
  };
  const FORWARD = { MESHNET_FORWARD_AUTHORIZATION: 'true' };

  it('stays here, unless settings say that it goes on', async () => {
    expect(await ask({}, OWN)).toBeUndefined();
    expect(await ask(FORWARD, OWN)).toBe(OWN);
  });

  it('does not stand over a node’s own', async () => {
    expect(await ask(FORWARD, OWN, { api_key: CANARY })).toBe(`Bearer ${CANARY}`);
  });

  it('never goes on where it is a key of this tracker', async () => {
    expect(await ask({ ...FORWARD, MESHNET_API_KEYS: `a=${KEY}` }, `Bearer ${KEY}`)).toBeUndefined();
  });
});
