import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { LaneRequest, LaneResponse, watchClose, type BodySink } from './lane-messages.js';

/** Answers with what it got once it has all of it. */
class Echo implements BodySink {
  readonly parts: string[] = [];
  isBroken = false;
  ends = 0;

  constructor(
    readonly request: LaneRequest,
    private readonly response: LaneResponse,
    private readonly most: number,
  ) {}

  onBodyPart(bytes: Buffer): void {
    this.parts.push(bytes.toString());
    if (this.parts.join('').length <= this.most) return;
    this.request.letBodyGo();
    this.response.writeHead(413).end('too long');
  }

  onBodyEnd(): void {
    this.ends += 1;
    this.response.end(this.parts.join('').toUpperCase());
  }

  onBodyBroken(): void {
    this.isBroken = true;
  }
}

let server: Server<typeof LaneRequest, typeof LaneResponse>;
let echoes: Echo[];
let closes: number;
let client: Socket;
let got: string;
beforeEach(async () => {
  echoes = [];
  closes = 0;
  got = '';
  server = createServer(
    { IncomingMessage: LaneRequest, ServerResponse: LaneResponse },
    (request, response) => {
      response.sendDate = false;
      response.on('close', function (this: LaneResponse) {
        this.closeWatcher?.onClosed();
      });
      watchClose(response, { onClosed: () => (closes += 1) });
      const echo = new Echo(request, response, 100);
      echoes.push(echo);
      request.takeBody(echo);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('data', (bytes) => (got += bytes.toString()));
  client.on('error', () => undefined);
});
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, 'close');
});

function head(more: string): string {
  return `POST / HTTP/1.1\r\nhost: x\r\n${more}\r\n\r\n`;
}

const turn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

describe('a request whose body is taken', () => {
  it('gives it in the parts it came in, and its end once', async () => {
    client.write(`${head('content-length: 6')}abc`);
    await eventually(() => expect(echoes[0]?.parts).toEqual(['abc']));
    client.write('def');
    await eventually(() => expect(got).toContain('ABCDEF'));
    await eventually(() => expect(closes).toBe(1));
    expect(echoes[0]).toMatchObject({ parts: ['abc', 'def'], ends: 1, isBroken: false });
    expect(echoes[0]?.request.readableEnded).toBe(true);
  });

  it('ends at once without one', async () => {
    client.write(head('x: y'));
    await eventually(() => expect(closes).toBe(1));
    expect(echoes[0]).toMatchObject({ parts: [], ends: 1 });
  });

  it('is one of several that come together, on a connection that stays', async () => {
    const chunked = `${head('transfer-encoding: chunked')}2\r\nde\r\n1\r\nf\r\n0\r\n\r\n`;
    client.write(`${head('content-length: 3')}abc${chunked}${head('content-length: 2')}gh`);
    await eventually(() => expect(closes).toBe(3));
    client.write(`${head('content-length: 1')}i`);
    await eventually(() => expect(closes).toBe(4));
    expect(echoes.map(({ parts }) => parts.join(''))).toEqual(['abc', 'def', 'gh', 'i']);
    await eventually(() => expect(got.match(/ABC|DEF|GH|I$/g)).toEqual(['ABC', 'DEF', 'GH', 'I']));
    expect(server.listenerCount('request')).toBe(1);
  });

  it('says once that the client has left before it was whole, and of its answer before', async () => {
    client.write(`${head('content-length: 6')}abc`);
    await eventually(() => expect(echoes).toHaveLength(1));
    client.destroy();
    await eventually(() => expect(echoes[0]?.isBroken).toBe(true));
    await turn();
    expect(echoes[0]?.ends).toBe(0);
    expect(closes).toBe(1);
  });

  it('says nothing of the kind of a client that leaves when it is whole', async () => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const echo = new Echo(request, response, 100);
      echo.onBodyEnd = () => (echo.ends += 1);
      echoes.push(echo);
      request.takeBody(echo);
    });
    client.write(`${head('content-length: 3')}abc`);
    await eventually(() => expect(echoes[0]?.ends).toBe(1));
    client.destroy();
    await turn();
    expect(echoes[0]?.isBroken).toBe(false);
  });

  it('can be let go of: the rest is read away, and the next one is read', async () => {
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

  it('leaves no listener behind', async () => {
    client.write(`${head('content-length: 1')}a`);
    await eventually(() => expect(closes).toBe(1));
    expect(echoes[0]?.request.eventNames()).toEqual([]);
  });
});
