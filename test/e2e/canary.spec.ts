import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { open, send, type Reply } from '../support/http-client.js';
import { sendChat } from '../support/openai-answers.js';
import { Program } from '../support/program.js';
import { Stage } from '../support/stage.js';

const KEYS = {
  client: 'CANARY-key-of-a-client',
  other: 'CANARY-key-in-a-file',
  node: 'CANARY-token-of-a-node',
  admin: 'CANARY-key-of-an-operator',
};
const PROMPT = 'CANARY-of-a-prompt';
const SECRET = 'CANARY-of-the-node-itself';
const PAGES = [
  '/v1/nodes',
  '/v1/routing',
  '/v1/calls?limit=1000',
  '/v1/timeline',
  '/v1/incidents',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/dashboard',
];

const stage = new Stage();
let program: Program;
let home: string;
beforeAll(() => {
  program = new Program();
  home = mkdtempSync(join(tmpdir(), 'canary-'));
});
afterEach(async () => {
  program.killAll();
  await stage.end();
});
afterAll(() => {
  program.remove();
  rmSync(home, { recursive: true });
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('a secret or a prompt, planted in every input of a running tracker', () => {
  it.each(['info', 'debug'])(
    'comes out nowhere, at log level %s',
    async (level) => {
      const head = await stage.head((response, chat) => {
        const text = chat.body.toString();
        if (text.includes('"break"')) response.destroy();
        else if (!text.includes('"hang"')) sendChat(response, chat);
      });
      writeFileSync(join(home, 'keys'), `bob=${KEYS.other}\n`);
      const folder = mkdtempSync(join(home, 'cwd-'));
      const run = program.start(['--port', '0'], {
        MESHNET_LOG_LEVEL: level,
        MESHNET_API_KEYS: `alice=${KEYS.client}`,
        MESHNET_API_KEYS_FILE: join(home, 'keys'),
        MESHNET_NODE_TOKENS: `mesh=${KEYS.node}`,
        MESHNET_ADMIN_KEYS: `root=${KEYS.admin}`,
        MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.2',
        MESHNET_KEY_REQUESTS_PER_MINUTE: '8',
        TMPDIR: folder,
      });
      const url = await run.url();
      const replies: Reply[] = [];
      const ask = async (path: string, outgoing: Parameters<typeof send>[1]): Promise<number> => {
        const reply = await send(url + path, outgoing);
        replies.push(reply);
        return reply.status;
      };
      const node = { wallet: 'w', endpoint: head.url, model: 'm', api_key: SECRET };
      const register = (body: object, token = KEYS.node) =>
        ask('/v1/nodes', { method: 'POST', headers: bearer(token), body });
      const chat = (user: string, key = KEYS.client, more: object = {}) =>
        ask('/v1/chat/completions?key=CANARY-in-a-query', {
          method: 'POST',
          headers: {
            ...bearer(key),
            cookie: 'CANARY-cookie',
            'x-api-key': 'CANARY-api-key',
            'x-other': 'CANARY-header',
          },
          body: { model: 'm', user, messages: [{ role: 'user', content: PROMPT }], ...more },
        });
      expect(await register(node)).toBe(201);
      const events = await open(`${url}/v1/events`, { headers: bearer(KEYS.admin) });
      expect(await register({ ...node, endpoint: 'http://u:CANARY-password@h:1/' })).toBe(400);
      expect(await register({ ...node, wallet: 'CANARY wallet' })).toBe(400);
      expect(await register(node, KEYS.client)).toBe(403);
      expect(await register(node, 'CANARY-wrong-token')).toBe(401);
      expect(await chat('well')).toBe(200);
      expect(await chat('well', KEYS.other)).toBe(200);
      expect(await chat('well', 'CANARY-wrong-key')).toBe(401);
      expect(await chat('well', KEYS.node)).toBe(403);
      expect(await chat('break')).toBe(502);
      expect(await chat('hang')).toBe(504);
      expect(await chat('well', KEYS.client, { model: 'CANARY-model'.padEnd(300, 'x') })).toBe(400);
      expect(await chat('well', KEYS.client, { stream: 'CANARY-flag' })).toBe(400);
      let last = 0;
      for (let n = 0; n < 8 && last !== 429; n += 1) last = await chat('well');
      expect(last).toBe(429);
      for (const path of PAGES) await ask(path, { headers: bearer(KEYS.admin) });
      const watched = await eventually(() => events.until('call.finished'));
      events.leave();
      writeFileSync(join(home, 'keys'), 'CANARY-that-is-no-key\n');
      run.signal('SIGHUP');
      await eventually(() => expect(run.stdout).toContain('keys.refused'));
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);

      const told = replies.map(({ headers, text }) => JSON.stringify(headers) + text);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      expect([...told, ...files, watched, run.stdout, run.stderr].join('\n')).not.toContain('CANARY');
      expect(run.stdout).toContain('"key_name":"alice"');
      expect(head.last.headers.authorization).toBe(`Bearer ${SECRET}`);
    },
    60_000,
  );
});
