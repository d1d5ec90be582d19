import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually.js';
import type { FakeHead, ReceivedChat } from '../../support/fake-head.js';
import { DONE, SSE_HEADERS, textChunk, wholeChat } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, join, received } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

let tracker: StagedTracker;
let head: FakeHead;
beforeEach(async () => {
  tracker = await stage.tracker();
  head = await stage.head();
  await join(tracker.api, head, 'a');
});

/** A client that says exactly what the test says. */
class RawClient {
  heard = '';
  private readonly socket: Socket;

  constructor() {
    this.socket = connect(tracker.port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (part: Buffer) => (this.heard += part.toString()));
    stage.atEnd(() => this.socket.destroy());
  }

  say(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  async hears(text: string): Promise<void> {
    await eventually(() => expect(this.heard).toContain(text));
  }
}

function namesOf({ rawHeaders }: ReceivedChat): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

function expectOneFrame(chat: ReceivedChat): void {
  const framing = namesOf(chat).filter((name) => name === 'content-length' || name === 'transfer-encoding');
  expect(framing).toEqual(['content-length']);
  expect(chat.headers['content-length']).toBe(String(chat.body.length));
}

const BODY = JSON.stringify(aChat());
const START = 'POST /v1/chat/completions HTTP/1.1';
const JSON_TYPE = 'content-type: application/json';

describe('B61: the headers of a client', () => {
  it('that belong to its own connection do not reach a head', async () => {
    const client = new RawClient();
    client.say(
      START,
      'Host: tracker',
      'Connection: close, X-Secret',
      'X-Secret: 1',
      'TE: trailers',
      'Trailer: X-Sum',
      'Keep-Alive: timeout=9',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic eDp5',
      'Expect: 100-continue',
      'Transfer-Encoding: chunked',
      'X-Kept: yes',
      JSON_TYPE,
      '',
      '',
    );
    await client.hears('HTTP/1.1 100 Continue');
    expect(head.chats).toEqual([]);
    const [first, second] = [BODY.slice(0, 9), BODY.slice(9)];
    client.say(first.length.toString(16), first, second.length.toString(16), second, '0', 'X-Sum: 1', '', '');
    await client.hears('HTTP/1.1 200 OK');
    const { headers, body } = head.last;
    expect(body.toString()).toBe(BODY);
    expect(headers).toMatchObject({ host: `127.0.0.1:${String(head.port)}`, 'x-kept': 'yes' });
    const ofTheClient = [
      ...['x-secret', 'te', 'trailer', 'keep-alive', 'proxy-connection', 'proxy-authorization'],
      ...['expect', 'transfer-encoding', 'upgrade', 'x-sum'],
    ];
    expect(namesOf(head.last).filter((name) => ofTheClient.includes(name))).toEqual([]);
    expect(headers.connection).not.toMatch(/close|secret/i);
    expectOneFrame(head.last);
  });

  it('named by several Connection headers, in any case, do not either', async () => {
    const client = new RawClient();
    client.say(
      START,
      'host: tracker',
      'connection: X-One',
      'Connection: x-TWO , close',
      'x-one: 1',
      'X-Two: 2',
      'x-three: 3',
      JSON_TYPE,
      `content-length: ${String(BODY.length)}`,
      '',
      BODY,
    );
    await client.hears('HTTP/1.1 200 OK');
    const own = namesOf(head.last).filter((name) => /^x-(one|two|three)$/.test(name));
    expect(own).toEqual(['x-three']);
    expectOneFrame(head.last);
  });

  it('that ask for another protocol are passed over', async () => {
    const client = new RawClient();
    client.say(
      START,
      'host: tracker',
      'connection: Upgrade, HTTP2-Settings',
      'upgrade: h2c',
      'http2-settings: AAMAAABkAAQAAP__',
      JSON_TYPE,
      `content-length: ${String(BODY.length)}`,
      '',
      BODY,
    );
    await client.hears('HTTP/1.1 200 OK');
    expect(namesOf(head.last)).not.toContain('upgrade');
    expect(namesOf(head.last)).not.toContain('http2-settings');
  });
});

describe('B61: the framing of what a head is sent', () => {
  it.each([
    ['usage is asked for', aChat({ stream: true })],
    ['a pin is taken out', aChat({ route: ['a:all'] })],
    ['nothing is changed', aChat()],
  ])('is one header that fits the body when %s', async (_what, chat) => {
    expect((await tracker.api.chat(chat)).status).toBe(200);
    await received(head);
    expectOneFrame(head.last);
    expect(head.lastBody).toMatchObject({ model: 'm' });
  });

  it('fits the body when the node has a name of its own for the model', async () => {
    await join(tracker.api, head, 'a', { upstream_model: 'a-much-longer-name-北京' });
    expect((await tracker.api.chat(aChat())).status).toBe(200);
    expectOneFrame(head.last);
    expect(head.lastBody.model).toBe('a-much-longer-name-北京');
  });

  it('of a body that lies about its length never gets to a head', async () => {
    const client = new RawClient();
    client.say(
      START,
      'host: tracker',
      JSON_TYPE,
      `content-length: ${String(BODY.length)}`,
      'transfer-encoding: chunked',
      '',
      BODY,
    );
    await client.hears('HTTP/1.1 400');
    expect(head.chats).toEqual([]);
    expect((await tracker.api.chat(aChat())).status).toBe(200);
  });
});

describe('B61: what a head sends behind its answer', () => {
  it.each([true, false])('as trailers does not reach a client (streamed: %j)', async (isStream) => {
    const trailing = await stage.head((response) => {
      const type = isStream ? SSE_HEADERS : { 'content-type': 'application/json' };
      response.writeHead(200, { ...type, trailer: 'x-sum' });
      response.write(isStream ? textChunk('x') + DONE : JSON.stringify(wholeChat()));
      response.addTrailers({ 'x-sum': 'CANARY' });
      response.end();
    });
    const other = await stage.tracker();
    await join(other.api, trailing, 'a');
    const answer = await other.api.openChat(aChat({ stream: isStream }));
    const reply = await answer.rest();
    expect(reply.isWhole).toBe(true);
    expect(answer.response.trailers).toEqual({});
    expect(reply.headers.trailer).toBeUndefined();
  });
});
