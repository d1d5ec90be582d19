import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { sendStream, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import {
  aChat,
  droppedSoon,
  finishedCall,
  join,
  MODEL,
  received,
  standingOf,
  UNTOUCHED,
} from '../../support/whole-model.js';

const LEAVING = { headers: { 'x-request-id': 'leaving' } };

const stage = new Stage();
afterEach(() => stage.end());

/** Streams a chunk every few milliseconds until its client is gone. */
function dripping(response: ServerResponse): void {
  let at = 0;
  response.writeHead(200, SSE_HEADERS).flushHeaders();
  const timer = setInterval(() => response.write(textChunk(`<${String((at += 1))}>`)), 10);
  response.on('close', () => clearInterval(timer));
}

describe('B05 a client leaves in the middle of a stream', () => {
  it.each(['/v1/chat/completions', '/v1/completions'])(
    'closes the connection to the head, and does not merely stop reading (%s)',
    async (path) => {
      const { api } = await stage.tracker();
      const head = await stage.head(dripping);
      const spare = await stage.head();
      const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
      await join(api, spare, 'spare', { throughput_tps: 1 });

      const leaving = await api.openChat(aChat({ stream: true }), { ...LEAVING, path });
      await leaving.until('<2>');
      expect(await api.inFlight(MODEL)).toEqual({ nodes: 1, routes: 1 });
      leaving.leave();

      await droppedSoon(head);
      const record = await finishedCall(api, 'leaving');
      expect(record).toMatchObject({
        outcome: 'client_left',
        sample: 'client_left',
        attempts: [{ outcome: 'client_left', status: 200 }],
        tokens_estimated: true,
        tps: null,
      });
      expect(record.completion_tokens).toBeGreaterThanOrEqual(2);
      expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
      expect(spare.chats).toEqual([]);
      expect(await api.calls('?open=true')).toEqual([]);
    },
  );

  it('closes the connection to a head that has fallen silent after the second chunk', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('<1>') + textChunk('<2>'));
    });
    const nodeId = await join(api, head, 'head');

    const leaving = await api.openChat(aChat({ stream: true }), LEAVING);
    await leaving.until('<2>');
    leaving.leave();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({
      outcome: 'client_left',
      completion_tokens: 2,
    });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('closes the connection to a head that stands still because the client does not read', async () => {
    const { api } = await stage.tracker();
    let pushed = 0;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      const chunk = textChunk('x'.repeat(64 * 1024));
      const push = (): void => {
        do pushed += 1;
        while (!response.closed && response.write(chunk));
      };
      response.on('drain', push);
      push();
    });
    const nodeId = await join(api, head, 'head');

    const leaving = await api.openChat(aChat({ stream: true }), LEAVING);
    leaving.response.pause();
    let seen = 0;
    await eventually(() => {
      const before = seen;
      seen = pushed;
      expect(seen).toBe(before);
    });
    leaving.leave();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({ outcome: 'client_left' });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('closes a connection that served others before, and the next chat gets a fresh one', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const nodeId = await join(api, head, 'head');
    await api.chat(aChat());
    head.answer(dripping);

    const leaving = await api.openChat(aChat({ stream: true }), LEAVING);
    await leaving.until('<2>');
    leaving.leave();

    await droppedSoon(head);
    head.answer((response) => sendStream(response, ['x']));
    expect(await api.chat(aChat({ stream: true }))).toMatchObject({ status: 200, isWhole: true });
    await received(head, 3);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is tested with the very HTTP client that is locked', () => {
    const read = (path: string): { version: string } =>
      JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as { version: string };
    const lock = read('package-lock.json') as unknown as { packages: Record<string, { version: string }> };
    expect(read('node_modules/undici/package.json').version).toBe(
      lock.packages['node_modules/undici']?.version,
    );
  });
});
