import { once } from 'node:events';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { BodySink, LaneRequest, LaneResponse } from './lane.js';
import { LaneExpressAdapter } from './lane.adapter.js';

const CLOCK = new ManualClock();

/** Answers with what it got once it has all of it. */
class Echo implements BodySink {
  readonly parts: string[] = [];
  isBroken = false;
  ends = 0;
  closes = 0;
  /** What was told, in turn. */
  readonly told: string[] = [];

  constructor(
    readonly request: LaneRequest,
    readonly response: LaneResponse,
    private readonly most: number,
  ) {
    response.watchClose({
      onClosed: () => {
        this.closes += 1;
        this.told.push('closed');
      },
    });
    request.takeBody(this);
  }

  onBodyPart(bytes: Buffer): void {
    this.parts.push(bytes.toString());
    if (this.parts.join('').length <= this.most) return;
    this.request.letBodyGo();
    this.answer(413, 'too long');
  }

  onBodyEnd(): void {
    this.ends += 1;
    this.answer(200, this.parts.join('').toUpperCase());
  }

  onBodyBroken(): void {
    this.isBroken = true;
    this.told.push('broken');
  }

  answer(status: number, text: string): void {
    this.response.begin(status, { 'content-length': String(text.length) }, CLOCK.wallMs());
    this.response.endWith(text);
  }
}

let adapter: LaneExpressAdapter;
let server: Server;
let echoes: Echo[];
let handle: (request: LaneRequest, response: LaneResponse) => void;
let client: Socket;
let got: string;
beforeEach(async () => {
  echoes = [];
  got = '';
  handle = (request, response) => echoes.push(new Echo(request, response, 100));
  adapter = new LaneExpressAdapter(CLOCK);
  adapter.initHttpServer();
  adapter.openLane({ serves: () => true, handle: (request, response) => handle(request, response) });
  server = adapter.getHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('data', (bytes) => (got += bytes.toString('latin1')));
  client.on('error', () => undefined);
});
afterEach(async () => {
  client.destroy();
  adapter.closeAllConnections();
  await adapter.close();
});

/** Answers nothing by itself. */
const onlyListen: typeof handle = (request, response) => {
  const echo = new Echo(request, response, 100);
  echo.onBodyEnd = () => (echo.ends += 1);
  echoes.push(echo);
};

const turn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));
const closes = (): number => echoes.reduce((sum, { closes: each }) => sum + each, 0);

/** The second kind is left to Node for what the header might mean. */
describe.each([
  ['plain', ''],
  ['not plain', 'te: trailers\r\n'],
])('a lane whose requests are %s', (_kind, oddity) => {
  const head = (more: string): string => `POST / HTTP/1.1\r\nhost: x\r\n${oddity}${more}\r\n\r\n`;

  it('gets a body in the parts it came in, and its end once', async () => {
    client.write(`${head('content-length: 6')}abc`);
    await eventually(() => expect(echoes[0]?.parts).toEqual(['abc']));
    client.write('def');
    await eventually(() => expect(got).toContain('ABCDEF'));
    await eventually(() => expect(closes()).toBe(1));
    expect(echoes[0]).toMatchObject({ parts: ['abc', 'def'], ends: 1, isBroken: false });
    expect(echoes[0]?.request.declaredLength).toBe(6);
    expect(echoes[0]?.response).toMatchObject({ headersSent: true, writableFinished: true });
  });

  it('gets the end of none at once', async () => {
    client.write(head('content-length: 0'));
    client.write(head('x: y'));
    await eventually(() => expect(closes()).toBe(2));
    expect(echoes[0]).toMatchObject({ parts: [], ends: 1 });
    expect(echoes[1]).toMatchObject({ parts: [], ends: 1 });
    expect(echoes[1]?.request.declaredLength).toBeNull();
  });

  it('serves several that come together, in their order, on a connection that stays', async () => {
    const chunked = `${head('transfer-encoding: chunked')}2\r\nde\r\n1\r\nf\r\n0\r\n\r\n`;
    client.write(`${head('content-length: 3')}abc${chunked}${head('content-length: 2')}gh`);
    await eventually(() => expect(closes()).toBe(3));
    client.write(`${head('content-length: 1')}i`);
    await eventually(() => expect(closes()).toBe(4));
    expect(echoes.map(({ parts }) => parts.join(''))).toEqual(['abc', 'def', 'gh', 'i']);
    await eventually(() => expect(got.match(/ABC|DEF|GH|I$/g)).toEqual(['ABC', 'DEF', 'GH', 'I']));
  });

  it('answers one before it is shown the next', async () => {
    handle = onlyListen;
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(echoes[0]?.ends).toBe(1));
    client.write(`${head('content-length: 1')}b`);
    await turn();
    echoes[0]?.answer(200, 'first');
    await eventually(() => expect(echoes[1]?.ends).toBe(1));
    echoes[1]?.answer(200, 'second');
    await eventually(() => expect(got.match(/first|second/g)).toEqual(['first', 'second']));
  });

  it('hears once that the client has left before a body was whole, of its answer before', async () => {
    client.write(`${head('content-length: 6')}abc`);
    await eventually(() => expect(echoes).toHaveLength(1));
    client.resetAndDestroy();
    await eventually(() => expect(echoes[0]?.isBroken).toBe(true));
    await turn();
    expect(echoes[0]?.ends).toBe(0);
    expect(echoes[0]?.told).toEqual(['closed', 'broken']);
  });

  it('hears nothing of a body from a client that leaves when it is whole', async () => {
    handle = onlyListen;
    client.write(`${head('content-length: 3')}abc`);
    await eventually(() => expect(echoes[0]?.ends).toBe(1));
    client.destroy();
    await eventually(() => expect(closes()).toBe(1));
    await turn();
    expect(echoes[0]).toMatchObject({ isBroken: false, told: ['closed'] });
    expect(echoes[0]?.response.writableFinished).toBe(false);
  });

  it('can let go of a body: the rest is read away, and the next request is read', async () => {
    const long = 'x'.repeat(60_000);
    client.write(`${head(`content-length: ${String(3 * long.length)}`)}${long}`);
    await eventually(() => expect(got).toContain('too long'));
    client.write(long);
    await turn();
    client.write(`${long}${head('content-length: 2')}ok`);
    await eventually(() => expect(got).toContain('OK'));
    expect(echoes).toHaveLength(2);
    expect(echoes[0]).toMatchObject({ ends: 0, isBroken: false });
  });

  it('ends the connection behind an answer that says so, whatever else was sent', async () => {
    handle = (request, response) => {
      echoes.push(new Echo(request, response, 100));
      response.setHeader('connection', 'close');
    };
    client.write(`${head('content-length: 1')}a${head('content-length: 1')}b`);
    await once(client, 'close');
    expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\nconnection: close\r\n[^]*\r\n\r\nA$/i);
    expect(got).not.toMatch(/keep-alive/i);
    expect(got.match(/HTTP/g)).toHaveLength(1);
  });

  it('writes an answer of unknown length in chunks, what it says in one turn together', async () => {
    handle = (_request, response) => {
      response.begin(200, { 'content-type': 'text/event-stream' }, CLOCK.wallMs());
      expect(response.isChunked).toBe(true);
      expect(response.write('1\r\na\r\n', 'latin1')).toBe(true);
      expect(response.write('3\r\n', 'latin1')).toBe(true);
      response.write(Buffer.from('bcd'));
      response.write('\r\n', 'latin1');
      response.endWith('0\r\n\r\n');
    };
    const packets: string[] = [];
    client.on('data', (bytes) => packets.push(bytes.toString()));
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(got).toMatch(/\r\n0\r\n\r\n$/));
    expect(got).toMatch(/Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n3\r\nbcd\r\n0\r\n\r\n$/);
    expect(packets).toHaveLength(1);
  });

  it('tells whoever writes more than is read, and when that has been read', async () => {
    const much = 'x'.repeat(1_000_000);
    let drains = 0;
    let writes = 0;
    let ends = 0;
    const answers: LaneResponse[] = [];
    client.pause();
    handle = (_request, response) => {
      response.onDrain(() => (drains += 1));
      response.begin(200, {}, CLOCK.wallMs());
      for (; writes < 30; writes += 1) response.write(much, 'latin1');
      response.watchClose({ onClosed: () => (ends += 1) });
      answers.push(response);
    };
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(answers).toHaveLength(1));
    expect(answers[0]?.write('y', 'latin1')).toBe(false);
    answers[0]?.endWith('z');
    expect(answers[0]?.writableFinished).toBe(false);
    await turn();
    // Ended, but not read: it is not for closing.
    adapter.closeIdleConnections();
    expect({ drains, ends }).toEqual({ drains: 0, ends: 0 });
    client.resume();
    await eventually(() => expect(got.length).toBeGreaterThan(writes * much.length));
    await eventually(() => expect(ends).toBe(1));
    expect(got).toMatch(/xyz$/);
    expect(client.destroyed).toBe(false);
  });

  it('is told when its client has read what it was behind with', async () => {
    let drains = 0;
    const answers: LaneResponse[] = [];
    client.pause();
    handle = (_request, response) => {
      answers.push(response);
      response.onDrain(() => (drains += 1));
      response.begin(200, { 'content-length': '30000001' }, CLOCK.wallMs());
      for (let n = 0; n < 30; n += 1) response.write(Buffer.alloc(1_000_000, 'x'));
    };
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(answers).toHaveLength(1));
    await turn();
    expect(drains).toBe(0);
    client.resume();
    await eventually(() => expect(drains).toBe(1));
    answers[0]?.endWith('y');
    await eventually(() => expect(got).toMatch(/xy$/));
  });

  it('can break an answer off: what has begun is seen, and that it is not whole', async () => {
    handle = (_request, response) => {
      response.begin(200, {}, CLOCK.wallMs());
      response.write('3\r\nabc\r\n', 'latin1');
      response.break();
    };
    client.write(`${head('content-length: 1')}a`);
    await once(client, 'close');
    expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n3\r\nabc\r\n$/);
  });

  it('hears of each end that it waits for', async () => {
    const heard: string[] = [];
    handle = (request, response) => {
      response.onceClosed(() => heard.push('one'));
      response.onceClosed(() => heard.push('two'));
      echoes.push(new Echo(request, response, 100));
    };
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(heard).toEqual(['one', 'two']));
    client.write(`${head('content-length: 2')}a`);
    await eventually(() => expect(echoes).toHaveLength(2));
    client.destroy();
    await eventually(() => expect(heard).toHaveLength(4));
  });

  it('gives way to the end of the server when nothing is under way', async () => {
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(closes()).toBe(1));
    await turn();
    adapter.closeIdleConnections();
    await once(client, 'close');
  });

  it('does not while something is', async () => {
    client.write(`${head('content-length: 3')}a`);
    await eventually(() => expect(echoes).toHaveLength(1));
    adapter.closeIdleConnections();
    client.write('bc');
    await eventually(() => expect(got).toContain('ABC'));
  });
});

describe('a refused request', () => {
  it.each(['', 'te: trailers\r\n'])('is answered in the same way whoever reads it (%j)', async (oddity) => {
    adapter.openGate({
      admit: (request, path, response) => {
        response.setHeader('vary', 'origin');
        return {
          status: 403,
          headers: { 'x-why': `${String(request.headers.host)} ${path}` },
          body: { error: { message: 'nö', type: 'invalid_request_error', param: null, code: 'no' } },
        };
      },
    });
    client.write(`POST /p?q HTTP/1.1\r\nHost: x\r\n${oddity}Content-Length: 3\r\n\r\nabc`);
    await once(client, 'close');
    const body =
      '{"error":{"message":"n\u00c3\u00b6","type":"invalid_request_error","param":null,"code":"no"}}';
    expect(got.split('\r\n').filter((line) => !line.startsWith('Date: '))).toEqual([
      'HTTP/1.1 403 Forbidden',
      'vary: origin',
      'cache-control: no-store',
      "content-security-policy: default-src 'none';frame-ancestors 'none'",
      'x-content-type-options: nosniff',
      'x-why: x /p',
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${String(body.length)}`,
      '',
      body,
    ]);
    expect(echoes).toHaveLength(0);
  });
});
