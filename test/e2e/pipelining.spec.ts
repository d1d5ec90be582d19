import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CallsService } from '../../src/calls/index.js';
import { eventually } from '../support/eventually.js';
import { heldBy, NOTHING_HELD } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL, received } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** Sends requests at once, on one connection, without waiting for an answer. */
function pipeline({ port }: StagedTracker, ...requests: readonly string[]): Socket {
  const socket = connect(port, '127.0.0.1');
  stage.atEnd(() => socket.destroy());
  socket.on('error', () => undefined).write(requests.join(''));
  return socket;
}

function chatRequest(body: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
}

describe('a client that sends its next request before it has the answer to the last', () => {
  it('is answered in the order of its requests', async () => {
    const tracker = await stage.tracker();
    await join(tracker.api, await stage.head(), 'w');
    const chat = chatRequest(JSON.stringify(aChat()));
    const socket = pipeline(tracker, chat, 'GET /healthz HTTP/1.1\r\nhost: t\r\n\r\n', chat);
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    await eventually(() => expect(text.match(/hello|t0|"status"/g)).toHaveLength(3));
    expect(text.match(/x-meshnet-route:|"status"/g)).toEqual([
      'x-meshnet-route:',
      '"status"',
      'x-meshnet-route:',
    ]);
  });

  it('ends all of them when it leaves, not only the one whose turn it is', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w');
    const chat = chatRequest(JSON.stringify(aChat({ stream: true })));
    const socket = pipeline(tracker, chat, chat, 'GET /v1/events HTTP/1.1\r\nhost: t\r\n\r\n', chat);
    await received(head, 3);
    await eventually(() => expect(heldBy(tracker).watchers).toBe(1));
    socket.destroy();
    await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD), 2_500);
    await eventually(() => expect(head.chats.map(({ aborted }) => aborted)).toEqual([true, true, true]));
    const outcomes = tracker.app
      .get(CallsService)
      .list(null, 9, false)
      .map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['client_left', 'client_left', 'client_left']);
  });

  it('is answered, if there is no request behind them, though none is ready', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w');
    const chat = chatRequest(JSON.stringify(aChat()));
    const socket = pipeline(tracker, chat, 'GET /healthz HTTP/1.1\r\nhost: t\r\n\r\n', 'no request\r\n\r\n');
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*This is no HTTP request/);
  });

  // The second answer fills the buffer before its turn has come, and its head closes the connection meanwhile.
  it.each([66_000, 80_000, 100_000])(
    'gets an answer of %i bytes whole though the head that closes with it was held up',
    async (length) => {
      const tracker = await stage.tracker();
      let answerFirst: (() => void) | null = null;
      const body = JSON.stringify({ choices: [{ message: { content: 'Z'.repeat(length) } }] });
      const head = await stage.rawHead((socket) => {
        if (answerFirst === null) {
          answerFirst = () => socket.write(`HTTP/1.1 200 OK\r\n${JSON_TYPE}content-length: 2\r\n\r\n{}`);
          return;
        }
        const headers = `${JSON_TYPE}connection: close\r\ncontent-length: ${String(body.length)}`;
        socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`);
      });
      await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL });
      const chat = chatRequest(JSON.stringify(aChat()));
      const socket = pipeline(tracker, chat, chat);
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      await eventually(() => expect(head.connections).toBe(2));
      await eventually(() => expect(heldBy(tracker).openCalls).toBe(1));
      (answerFirst as (() => void) | null)?.();
      // Between chunks of HTTP.
      await eventually(() => expect(Buffer.concat(parts).toString().match(/Z/g)).toHaveLength(length));
      await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
    },
  );
});

const JSON_TYPE = 'content-type: application/json\r\n';
