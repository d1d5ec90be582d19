import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { send, type Outgoing, type Reply } from '../support/http-client.js';
import { exchange } from '../support/raw-client.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const INJECTED = /x-injected|set-cookie/i;
/** Control bytes, line ends of HTTP and of event streams, terminals, and too much of everything. */
const TEXTS: Readonly<Record<string, string>> = {
  'a header of its own': 'a\r\nx-injected: 1\r\n\r\n',
  'an event of its own': 'a\n\nevent: call.finished\ndata: {"x-injected":1}\n\n',
  'a line of a log': '"}\n{"level":60,"msg":"x-injected"}',
  'a NUL': 'a\u0000b',
  'an escape of terminals': '\u001b]0;x-injected\u0007\u001b[2J',
  'line separators': 'a\u2028b\u2029c',
  'half a pair': '\ud800',
  'too much': 'x'.repeat(70_000),
};

const stage = new Stage();
const logger = new SilentLogger();
let tracker: StagedTracker;
beforeAll(async () => {
  const head = await stage.head();
  tracker = await stage.tracker({ parts: { logger } });
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
});
afterAll(() => stage.end());

const node = { wallet: 'evil', endpoint: 'http://127.0.0.1:9', model: 'evil' };
const post = (path: string, body: object, headers = {}): (() => Promise<Reply>) => {
  const outgoing: Outgoing = { method: 'POST', headers, body };
  return () => send(tracker.url + path, outgoing);
};
const INPUTS: Readonly<Record<string, (text: string) => () => Promise<Reply>>> = {
  'the model of a chat': (text) => post('/v1/chat/completions', { model: text }),
  'the route of a chat': (text) => post('/v1/chat/completions', { model: 'm', route: [text] }),
  'the prompt of a chat': (text) =>
    post('/v1/chat/completions', { model: 'm', messages: [{ role: text, content: text }] }),
  'a wallet': (text) => post('/v1/nodes', { ...node, wallet: text }),
  'a name': (text) => post('/v1/nodes', { ...node, name: text }),
  'an endpoint': (text) => post('/v1/nodes', { ...node, endpoint: `http://h/${text}` }),
  'the model of a node': (text) => post('/v1/nodes', { ...node, model: text }),
  'what a node calls its model': (text) => post('/v1/nodes', { ...node, upstream_model: text }),
  'the key of a node': (text) => post('/v1/nodes', { ...node, api_key: text }),
  'a nonce': (text) => post('/v1/nodes', { ...node, proof: { time_ms: 1, nonce: text, signature: text } }),
  'a query': (text) => () => tracker.api.get(`/v1/routing?model=${encodeURIComponent(sendable(text))}`),
  'a path': (text) => () => tracker.api.get(`/v1/calls/${encodeURIComponent(sendable(text))}`),
};

/** What can stand in an address: short enough for a line of HTTP, and no half pairs. */
function sendable(text: string): string {
  return text.slice(0, 8000).replace(/[\ud800-\udfff]/g, '\ufffd');
}

describe('hostile text', () => {
  it.each(Object.keys(INPUTS).flatMap((input) => Object.keys(TEXTS).map((kind) => [input, kind] as const)))(
    'as %s: %s',
    async (input, kind) => {
      const text = TEXTS[kind] ?? '';
      const reply = await INPUTS[input]?.(text)();
      expect(reply?.status).toBeLessThan(500);
      expect(Object.entries(reply?.headers ?? {}).join('\n')).not.toMatch(INJECTED);
      for (const value of Object.values(reply?.headers ?? {}))
        expect(String(value)).toMatch(/^[\t\x20-\x7e]*$/);
      expect(reply?.text.length).toBeLessThan(100_000);
    },
  );

  it.each([
    'authorization',
    'x-request-id',
    'origin',
    'host',
    'traceparent',
    'content-type',
    'x-custom',
    'connection',
  ])('in the header %s', async (name) => {
    for (const value of ['a\u0000b', 'a\rb', 'a\nb: c', '\u001b[2J', 'x'.repeat(70_000), '\u00ff\u00fe']) {
      const head = `POST /v1/chat/completions HTTP/1.1\r\n${name === 'host' ? '' : 'host: localhost\r\n'}${name}: ${value}\r\ncontent-length: 13\r\n\r\n`;
      const answer = await exchange(tracker.port, [Buffer.from(`${head}{"model":"m"}`, 'latin1')]);
      if (answer.status !== null) expect(answer.status).toBeLessThan(502);
      expect(answer.head).not.toMatch(INJECTED);
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(answer.head).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
    }
  });

  it('left nothing behind: no fault, no open call, and chats go on', async () => {
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(await tracker.api.inFlight('m')).toEqual({ nodes: 0, routes: 0 });
    expect((await tracker.api.chat({ model: 'm', messages: [] })).status).toBe(200);
  });
});
