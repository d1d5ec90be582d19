import { once } from 'node:events';
import type { ClientRequest, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.js';
import type { FakeHead, HeadAnswering } from '../support/fake-head.js';
import { errorOf, start } from '../support/http-client.js';
import {
  DONE,
  sendChat,
  sendJson,
  sendStream,
  SSE_HEADERS,
  TEN,
  textChunk,
  wholeChat,
  finishChunk,
} from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'm';
const stage = new Stage();
afterEach(() => stage.end());

/** A node of the whole model; without a head, one that refuses the connection. */
async function join(
  { api }: StagedTracker,
  wallet: string,
  throughput_tps: number,
  head?: { readonly url: string },
): Promise<void> {
  const endpoint = head?.url ?? (await stage.refusingUrl());
  await api.register({ wallet, endpoint, model: MODEL, throughput_tps });
}

async function oneHead(
  answering: HeadAnswering,
  env: Readonly<Record<string, string>> = {},
): Promise<{ tracker: StagedTracker; head: FakeHead }> {
  const tracker = await stage.tracker({ env });
  const head = await stage.head(answering);
  await join(tracker, 'w', 10, head);
  return { tracker, head };
}

/** Sends status and headers of a stream, and nothing else. */
function beginStream(response: ServerResponse): void {
  response.writeHead(200, SSE_HEADERS).flushHeaders();
}

async function expectAllAtRest({ api }: StagedTracker): Promise<void> {
  await eventually(async () => {
    expect(await api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 });
    expect(await api.calls('?open=true')).toEqual([]);
  });
}

describe('a head that refuses the connection', () => {
  it('is passed over: the next candidate answers, and the record shows both attempts', async () => {
    const tracker = await stage.tracker();
    await join(tracker, 'dead', 100);
    const alive = await stage.head();
    await join(tracker, 'alive', 10, alive);
    for (const stream of [false, true]) {
      const reply = await tracker.api.chat({ model: MODEL, stream });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'x-meshnet-attempts': '2',
        'x-meshnet-route': 'm|alive:all[0-0]',
      });
      const record = await tracker.api.callOf(reply);
      expect(record).toMatchObject({
        outcome: 'completed',
        sample: 'recorded',
        routing: { signature: 'm|alive:all[0-0]' },
        attempts: [
          { signature: 'm|dead:all[0-0]', outcome: 'failed', status: null },
          { signature: 'm|alive:all[0-0]', outcome: 'completed', status: 200 },
        ],
      });
      expect(record.attempts.every(({ ms }) => ms !== null && ms >= 0)).toBe(true);
      // So that the dead one comes first again.
      await tracker.api.ask('DELETE', '/v1/nodes/alive:all');
      await join(tracker, 'alive', 10, alive);
    }
    expect((await tracker.api.node('dead:all')).reputation).toBeLessThan(0.51);
    expect((await tracker.api.node('alive:all')).reputation).toBe(1);
    await expectAllAtRest(tracker);
  });

  it('is a 502 when there is no other, told without its address', async () => {
    const tracker = await stage.tracker();
    await join(tracker, 'dead', 100);
    await join(tracker, 'dead-too', 50);
    const reply = await tracker.api.chat({ model: MODEL });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([502, '2']);
    expect(errorOf(reply)).toMatchObject({ code: 'node_unreachable', type: 'server_error' });
    expect(reply.text).not.toContain('127.0.0.1');
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    await expectAllAtRest(tracker);
  });

  it('is the end of a chat that was pinned to it', async () => {
    const tracker = await stage.tracker();
    await join(tracker, 'dead', 100);
    const alive = await stage.head();
    await join(tracker, 'alive', 10, alive);
    const reply = await tracker.api.chat({ model: MODEL, route: ['dead:all'] });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([502, '1']);
    expect(alive.chats).toHaveLength(0);
  });

  it.each(['1', '2', '3'])('is tried at most MESHNET_MAX_ATTEMPTS times in all: %s', async (most) => {
    const tracker = await stage.tracker({ env: { MESHNET_MAX_ATTEMPTS: most } });
    for (const speed of [400, 300, 200]) await join(tracker, `dead-${String(speed)}`, speed);
    await join(tracker, 'alive', 10, await stage.head());
    const reply = await tracker.api.chat({ model: MODEL });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([502, most]);
    expect((await tracker.api.callOf(reply)).attempts).toHaveLength(Number(most));
  });

  it('loses its rank by it, so that the next chat goes elsewhere at once', async () => {
    const tracker = await stage.tracker();
    await join(tracker, 'dead', 15);
    const alive = await stage.head((response) => sendJson(response, 200, wholeChat('x', 1)));
    await join(tracker, 'alive', 10, alive);
    expect((await tracker.api.chat({ model: MODEL })).headers['x-meshnet-attempts']).toBe('2');
    expect((await tracker.api.chat({ model: MODEL })).headers['x-meshnet-attempts']).toBe('1');
  });

  it('is no worse than one that took the chat and then failed: another one answers', async () => {
    const tracker = await stage.tracker();
    const failing = await stage.head((response) => response.destroy());
    await join(tracker, 'failing', 100, failing);
    const other = await stage.head();
    await join(tracker, 'other', 10, other);
    const reply = await tracker.api.chat({ model: MODEL });
    expect([reply.status, failing.chats.length, other.chats.length]).toEqual([200, 1, 1]);
  });
});

describe('a client that leaves', () => {
  it.each<[string, object, (response: ServerResponse) => void]>([
    ['before a stream has headers', { stream: true }, () => undefined],
    ['after headers without an event', { stream: true }, beginStream],
    [
      'amid a stream',
      { stream: true },
      (response) => {
        beginStream(response);
        response.write(TEN.map(textChunk).join(''));
      },
    ],
    ['before a JSON answer', {}, () => undefined],
    [
      'amid a JSON answer',
      {},
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).write(`"${'x'.repeat(200_000)}`),
    ],
  ])('ends the work of its head: %s', async (when, body, answer) => {
    const { tracker, head } = await oneHead(answer);
    const other = await stage.head();
    await join(tracker, 'other', 1, other);
    const sent = start(`${tracker.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-request-id': 'leaver' },
      body: { model: MODEL, ...body },
    });
    let received = 0;
    sent.on('response', (response) => response.on('data', (part: Buffer) => (received += part.length)));
    await eventually(() => expect(head.chats).toHaveLength(1));
    expect(await tracker.api.inFlight(MODEL)).toEqual({ nodes: 1, routes: 1 });
    if (when.startsWith('amid')) await eventually(() => expect(received).toBeGreaterThan(0));
    sent.destroy();
    await eventually(() => expect(head.last.aborted).toBe(true), 1_000);
    await expectAllAtRest(tracker);
    expect(await tracker.api.call('leaver')).toMatchObject({
      outcome: 'client_left',
      sample: 'client_left',
      attempts: [{ outcome: 'client_left' }],
    });
    const { candidates } = await tracker.api.routing(MODEL);
    expect(candidates.map(({ sample_count }) => sample_count)).toEqual([0, 0]);
    expect((await tracker.api.nodes()).map(({ reputation }) => reputation)).toEqual([1, 1]);
    expect(other.chats).toHaveLength(0);
  });

  it('again and again leaves no work behind, and no mark on the route', async () => {
    const { tracker, head } = await oneHead(() => undefined);
    for (let n = 1; n <= 5; n += 1) {
      const sent = start(`${tracker.url}/v1/chat/completions`, { method: 'POST', body: { model: MODEL } });
      await eventually(() => expect(head.chats).toHaveLength(n));
      sent.destroy();
    }
    await eventually(() => expect(head.chats.filter(({ aborted }) => aborted)).toHaveLength(5));
    head.answer(sendChat);
    expect((await tracker.api.chat({ model: MODEL })).status).toBe(200);
    expect(await tracker.api.node('w:all')).toMatchObject({ reputation: 1, in_flight: 0 });
  });
});

describe('a client that reads slowly', () => {
  const MIB = 1024 * 1024;

  it.each([
    ['long events', 64 * 1024],
    ['short events', 100],
  ])('stops its head instead of filling the memory: %s', async (_what, length) => {
    let taken = 0;
    let isDone = false;
    const chunk = textChunk('x'.repeat(length)).repeat(Math.ceil(65_536 / length));
    const { tracker, head } = await oneHead((response) => {
      beginStream(response);
      const more = (): void => {
        while (!response.destroyed && taken < 24 * MIB) {
          taken += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        isDone = true;
        response.end(finishChunk() + DONE);
      };
      more();
    });
    const opened = await tracker.api.openChat({ model: MODEL, stream: true });
    opened.response.pause();
    let before = -1;
    await eventually(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const now = taken;
      const isStill = now === before;
      before = now;
      expect(isStill).toBe(true);
    });
    expect([isDone, taken < 16 * MIB]).toEqual([false, true]);
    const reply = await opened.rest();
    expect(reply.text.endsWith(DONE)).toBe(true);
    expect(reply.body.length).toBeGreaterThanOrEqual(24 * MIB);
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'client_slow' });
    expect((await tracker.api.routing(MODEL)).candidates).toMatchObject([{ sample_count: 0 }]);
    expect(head.last.aborted).toBe(false);
  });

  it('and leaves while it is behind ends the work of its head all the same', async () => {
    const { tracker, head } = await oneHead((response) => {
      beginStream(response);
      const more = (): void => {
        while (!response.destroyed && response.write(textChunk('x'.repeat(65_536))));
        response.once('drain', more);
      };
      more();
    });
    const opened = await tracker.api.openChat({ model: MODEL, stream: true });
    opened.response.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    opened.leave();
    await eventually(() => expect(head.last.aborted).toBe(true), 1_000);
    await expectAllAtRest(tracker);
    expect(await tracker.api.callOf(opened)).toMatchObject({ outcome: 'client_left' });
  });
});

describe('an answer that is still being read when the tracker stops', () => {
  it('reaches its client whole', async () => {
    const { tracker } = await oneHead(
      (response) => sendStream(response, new Array<string>(12).fill('x'.repeat(900_000))),
      { MESHNET_DRAIN_SECONDS: '20' },
    );
    const body = '{"model":"m","stream":true}';
    const socket = connect(tracker.port, '127.0.0.1');
    let said = '';
    socket.on('data', (part: Buffer) => {
      said += part.toString('latin1');
      socket.pause();
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    // The call is over when its last bytes wait for nothing but the client.
    await eventually(async () => {
      socket.resume();
      expect(await tracker.api.calls()).toMatchObject([{ outcome: 'completed' }]);
    }, 20_000);
    const stopping = tracker.stop();
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.removeAllListeners('data').on('data', (part: Buffer) => (said += part.toString('latin1')));
    socket.resume();
    await once(socket, 'close');
    expect(said.slice(-40)).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    await stopping;
  });
});

describe('a head that takes too long', () => {
  const late = (response: ServerResponse): void => {
    beginStream(response);
    const beat = setInterval(() => response.write(': alive\n\n'), 20);
    response.on('close', () => clearInterval(beat));
  };
  const fallsSilent = (response: ServerResponse): void => {
    beginStream(response);
    response.write(textChunk('first'));
    const beat = setInterval(() => response.write(': alive\n\n'), 20);
    response.on('close', () => clearInterval(beat));
  };
  const dawdles = (response: ServerResponse): void => {
    beginStream(response);
    const beat = setInterval(() => response.write(textChunk('more ')), 20);
    response.on('close', () => clearInterval(beat));
  };

  it.each<[string, string, object, HeadAnswering]>([
    ['to answer at all', 'FIRST_BYTE', { stream: true }, () => undefined],
    ['over a JSON answer', 'FIRST_BYTE', {}, () => undefined],
    ['with nothing but comments', 'FIRST_BYTE', { stream: true }, late],
    ['over the whole call', 'TOTAL', {}, () => undefined],
  ])('gets a 504 that names the setting: %s', async (_what, kind, body, answering) => {
    const setting = `MESHNET_${kind}_TIMEOUT_SECONDS`;
    const { tracker, head } = await oneHead(answering, { [setting]: '0.25' });
    const reply = await tracker.api.chat({ model: MODEL, ...body });
    expect(reply.status).toBe(504);
    expect(errorOf(reply)).toMatchObject({ code: 'node_timeout', type: 'server_error' });
    expect(errorOf(reply).message).toContain(setting);
    expect(errorOf(reply).message).toContain('w:all');
    await eventually(() => expect(head.last.aborted).toBe(true));
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'timed_out', sample: 'failed' });
    expect((await tracker.api.node('w:all')).reputation).toBeLessThan(0.51);
    await expectAllAtRest(tracker);
  });

  it('to accept the connection gets a 504 that names the setting, and the next candidate its chance', async () => {
    const setting = 'MESHNET_CONNECT_TIMEOUT_SECONDS';
    const tracker = await stage.tracker({ env: { [setting]: '0.25' } });
    // Connecting is over when TLS is agreed upon, and this one never says a word.
    const mute = await stage.rawHead(() => undefined);
    await join(tracker, 'mute', 100, { url: mute.url.replace('http:', 'https:') });
    const alone = await tracker.api.chat({ model: MODEL });
    expect(alone.status).toBe(504);
    expect(errorOf(alone)).toMatchObject({ code: 'node_timeout' });
    expect(errorOf(alone).message).toContain(setting);
    expect(errorOf(alone).message).toContain('mute:all');
    await join(tracker, 'alive', 10, await stage.head());
    const reply = await tracker.api.chat({ model: MODEL });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
  });

  it.each<[string, string, HeadAnswering]>([
    ['between two events', 'IDLE', fallsSilent],
    ['over a whole stream', 'TOTAL', dawdles],
  ])(
    'once the stream began ends it with an error event that names the setting: %s',
    async (_w, kind, answering) => {
      const setting = `MESHNET_${kind}_TIMEOUT_SECONDS`;
      const { tracker, head } = await oneHead(answering, { [setting]: '0.3' });
      const reply = await tracker.api.chat({ model: MODEL, stream: true });
      expect([reply.status, reply.isWhole]).toEqual([200, true]);
      const last = reply.text.trimEnd().split('\n\n').at(-1) ?? '';
      const { error } = JSON.parse(last.replace(/^data: /, '')) as {
        error: { message: string; code: string };
      };
      expect(error.code).toBe('node_timeout');
      expect(error.message).toContain(setting);
      expect(reply.text).not.toContain('[DONE]');
      await eventually(() => expect(head.last.aborted).toBe(true));
      expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'timed_out', sample: 'failed' });
    },
  );

  it('is none that goes on talking for longer than it may be silent', async () => {
    const { tracker } = await oneHead(
      (response) => {
        beginStream(response);
        let left = 15;
        const beat = setInterval(() => {
          left -= 1;
          if (left > 0) response.write(textChunk('x'));
          else response.end(finishChunk() + DONE, () => clearInterval(beat));
        }, 40);
      },
      { MESHNET_IDLE_TIMEOUT_SECONDS: '0.35', MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.35' },
    );
    const reply = await tracker.api.chat({ model: MODEL, stream: true });
    expect(reply.text.endsWith(DONE)).toBe(true);
    expect((await tracker.api.callOf(reply)).total_ms).toBeGreaterThan(400);
  });
});

describe('more chats than MESHNET_MAX_IN_FLIGHT', () => {
  it('get 503 with Retry-After, and are let in again as others end', async () => {
    const held: ServerResponse[] = [];
    const { tracker } = await oneHead((response) => held.push(response), { MESHNET_MAX_IN_FLIGHT: '2' });
    const running = [tracker.api.chat({ model: MODEL }), tracker.api.chat({ model: MODEL })];
    await eventually(() => expect(held).toHaveLength(2));
    const refused = await tracker.api.chat({ model: MODEL });
    expect([refused.status, refused.headers['retry-after'], errorOf(refused).code]).toEqual([
      503,
      '1',
      'overloaded',
    ]);
    for (const response of held) sendJson(response, 200, wholeChat());
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    const admitted = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(held).toHaveLength(3));
    sendJson(held[2]!, 200, wholeChat());
    expect((await admitted).status).toBe(200);
  });
});

describe('whatever way chats end', () => {
  const ENDINGS: Readonly<Record<string, HeadAnswering>> = {
    completed: sendChat,
    refused: (response) => sendJson(response, 400, { error: { message: 'no' } }),
    broken: (response) => sendJson(response, 500, { error: { message: 'no' } }),
    dropped: (response) => response.destroy(),
    silent: () => undefined,
    half: (response) => response.writeHead(200, SSE_HEADERS).end(TEN.map(textChunk).join('')),
    lost: (response) => {
      beginStream(response);
      response.write(textChunk('x'), () => response.destroy());
    },
    nonsense: (response) => response.end('<html>'),
  };

  it('nothing is counted as in flight in the end, and each chat has one record', async () => {
    const tracker = await stage.tracker({
      env: { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.5', MESHNET_ROUTE_EXPLORE_SHARE: '1' },
    });
    const sent: ClientRequest[] = [];
    const head = await stage.head((response, chat) => {
      const { ending, leaves, at } = JSON.parse(chat.body.toString()) as {
        ending: string;
        leaves: string;
        at: number;
      };
      if (leaves === 'when asked') sent[at]?.destroy();
      ENDINGS[ending]?.(response, chat);
    });
    await join(tracker, 'head', 10, head);
    await join(tracker, 'dead', 20);
    const plans = fc.sample(
      fc.record({
        ending: fc.constantFrom(...Object.keys(ENDINGS)),
        stream: fc.boolean(),
        pinned: fc.constantFrom(null, ['dead:all'], ['head:all']),
        leaves: fc.constantFrom('never', 'never', 'soon', 'when asked'),
      }),
      { numRuns: 200, seed: 42 },
    );
    const before = (await tracker.api.calls('?limit=1000')).length;
    const closings = plans.map(({ ending, stream, pinned, leaves }, at) => {
      const request = start(`${tracker.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-request-id': `mix-${String(at)}` },
        body: { model: MODEL, ending, stream, leaves, at, ...(pinned === null ? {} : { route: pinned }) },
      });
      sent.push(request);
      request.on('response', (response) => response.on('error', () => undefined).resume());
      if (leaves === 'soon') setTimeout(() => request.destroy(), at % 30);
      return new Promise((resolve) => request.on('close', resolve));
    });
    await Promise.all(closings);
    await expectAllAtRest(tracker);
    const records = await tracker.api.calls('?limit=1000');
    const ids = new Set(records.map(({ request_id }) => request_id));
    expect(ids.size).toBe(records.length - before);
    // Some left before their chat was read, so that it never got a route.
    expect(ids.size).toBeGreaterThan(100);
    expect(records.every(({ outcome }) => outcome !== null)).toBe(true);
    expect(new Set(records.map(({ outcome }) => outcome))).toEqual(
      new Set(['completed', 'refused', 'failed', 'timed_out', 'cut_off', 'client_left']),
    );
    head.answer(sendChat);
    expect((await tracker.api.chat({ model: MODEL, route: ['head:all'] })).status).toBe(200);
    await expectAllAtRest(tracker);
  });
});
