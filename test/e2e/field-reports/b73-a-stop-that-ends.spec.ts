import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { open, send, type OpenReply } from '../../support/http-client.js';
import { DONE, finishChunk, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Program, type RunningProgram } from '../../support/program.js';
import { Stage } from '../../support/stage.js';
import { TrackerApi } from '../../support/tracker-api.js';
import { aChat, join, received } from '../../support/whole-model.js';

const stage = new Stage();
let program: Program;
beforeAll(() => {
  program = new Program();
});
afterEach(async () => {
  program.killAll();
  await stage.end();
});
afterAll(() => program.remove());

async function run(drainSeconds: number): Promise<{ tracker: RunningProgram; api: TrackerApi }> {
  const env = { MESHNET_LOG_LEVEL: 'silent', MESHNET_DRAIN_SECONDS: String(drainSeconds) };
  const tracker = program.start(['--port', '0'], env);
  return { tracker, api: new TrackerApi(await tracker.url()) };
}

/** A head that begins every answer, and ends it when it is told to. */
async function beginningHead(api: TrackerApi): Promise<() => void> {
  const held: (() => void)[] = [];
  const head = await stage.head((response) => {
    response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
    held.push(() => response.end(textChunk('last') + finishChunk() + DONE));
  });
  await join(api, head, 'a');
  return () => held.splice(0).forEach((finish) => finish());
}

async function streaming(api: TrackerApi): Promise<OpenReply> {
  const reply = await api.openChat(aChat({ stream: true }));
  await reply.until('first');
  return reply;
}

/** Resolves when a connection that had one answer and is kept has been ended by the other side. */
async function idleConnection(api: TrackerApi): Promise<() => Promise<void>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  stage.atEnd(() => agent.destroy());
  const sent = request(`${api.url}/healthz`, { agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  const kept = (): number => Object.values(agent.freeSockets).flat().length;
  await eventually(() => expect(kept()).toBe(1));
  return () => eventually(() => expect(kept()).toBe(0));
}

describe('B73: a stop', () => {
  it('ends watching streams and idle connections at once, lets an answer finish, exits 0', async () => {
    const { tracker, api } = await run(600);
    const finish = await beginningHead(api);
    const reply = await streaming(api);
    const watching = await open(`${api.url}/v1/events`, {});
    const idleEnds = await idleConnection(api);

    tracker.signal('SIGTERM');
    expect((await watching.rest()).isWhole).toBe(true);
    await idleEnds();
    await eventually(async () => {
      await expect(send(`${api.url}/healthz`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
    expect(tracker.hasEnded).toBe(false);

    finish();
    const { isWhole, text } = await reply.rest();
    expect([isWhole, text.includes('last'), text.endsWith(DONE)]).toEqual([true, true, true]);
    expect(await tracker.ended).toBe(0);
  });

  it('is over with its limit, though an answer goes on', async () => {
    const { tracker, api } = await run(0.3);
    await beginningHead(api);
    const reply = await streaming(api);
    tracker.signal('SIGINT');
    const { isWhole, text } = await reply.rest();
    expect([isWhole, text.includes('[DONE]')]).toEqual([false, false]);
    expect(await tracker.ended).toBe(0);
  });

  it('is forced by a second signal', async () => {
    const { tracker, api } = await run(600);
    await beginningHead(api);
    const reply = await streaming(api);
    const watching = await open(`${api.url}/v1/events`, {});
    tracker.signal('SIGTERM');
    // The first has been heard.
    await watching.rest();
    expect(tracker.hasEnded).toBe(false);
    tracker.signal('SIGTERM');
    expect(await tracker.ended).toBe(1);
    expect((await reply.rest()).isWhole).toBe(false);
  });
});

describe('B73: while a tracker drains', () => {
  it('a chat that comes over a connection still open is refused, and the connection ends', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_DRAIN_SECONDS: '600' } });
    let finish = (): void => undefined;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
      finish = () => response.end(finishChunk() + DONE);
    });
    await join(tracker.api, head, 'a');
    const body = JSON.stringify(aChat({ stream: true }));
    const chat = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: tracker',
      'content-type: application/json',
      `content-length: ${String(body.length)}`,
      '',
      body,
    ].join('\r\n');
    const accepted = once(tracker.app.getHttpServer(), 'connection');
    const socket = connect(tracker.port, '127.0.0.1');
    stage.atEnd(() => socket.destroy());
    let heard = '';
    socket.on('data', (part: Buffer) => (heard += part.toString()));
    const ended = once(socket, 'end');
    socket.write(chat);
    await eventually(() => expect(heard).toContain('first'));
    const stopped = tracker.stop();
    socket.write(chat);
    const [theirs] = (await accepted) as [Socket];
    await eventually(() => expect(theirs.bytesRead).toBe(2 * chat.length));
    finish();
    await ended;
    const [, served, refused] = heard.split('HTTP/1.1 ');
    expect(served).toMatch(/^200 /);
    expect(served).toContain(DONE);
    expect(refused).toMatch(/^503 /);
    expect(refused).toMatch(/^connection: close\r$/im);
    expect(refused).toMatch(/^retry-after: \d+\r$/im);
    expect(refused).toContain('"code":"shutting_down"');
    await received(head, 1);
    await stopped;
  });
});
