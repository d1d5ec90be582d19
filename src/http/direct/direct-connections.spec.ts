import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { BodySink } from '../lane.js';
import {
  HEADERS_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  MOST_HELD_BYTES,
  RECEIVE_TIMEOUT_MS,
} from './direct-connection.js';
import { DirectConnections } from './direct-connections.js';
import type { DirectRequest } from './direct-request.js';
import type { DirectResponse } from './direct-response.js';

/** A request that nothing is done with but what a test says. */
class Asked implements BodySink {
  body = '';
  readonly told: string[] = [];

  constructor(
    readonly request: DirectRequest,
    readonly response: DirectResponse,
  ) {
    response.watchClose({ onClosed: () => this.told.push('closed') });
    request.takeBody(this);
  }

  onBodyPart(bytes: Buffer): void {
    this.body += bytes.toString();
  }

  onBodyEnd(): void {
    this.told.push('whole');
  }

  onBodyBroken(): void {
    this.told.push('broken');
  }

  answer(text: string): void {
    this.response.begin(200, { 'content-length': String(text.length) }, 0);
    this.response.endWith(text);
  }
}

let clock: ManualClock;
let connections: DirectConnections;
let server: Server;
let asked: Asked[];
let serves: boolean;
let left: Socket[];
/** By whoever they were given to. */
let read: string;
let theirs: Socket[];
let clients: Socket[];
beforeEach(async () => {
  clock = new ManualClock();
  asked = [];
  left = [];
  read = '';
  theirs = [];
  clients = [];
  serves = true;
  connections = new DirectConnections(clock, {
    serve: (request, response) => {
      if (serves) asked.push(new Asked(request, response));
      return serves;
    },
    serveByNode: (socket) => {
      left.push(socket);
      socket.on('data', (part) => (read += part.toString()));
    },
  });
  server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    theirs.push(socket);
    connections.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  connections.closeAll();
  for (const socket of left) socket.destroy();
  server.close();
  await once(server, 'close');
});

interface Client {
  readonly socket: Socket;
  got: string;
}

async function client(): Promise<Client> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(socket);
  const made: Client = { socket, got: '' };
  socket.on('data', (bytes) => (made.got += bytes.toString()));
  socket.on('error', () => undefined);
  const before = theirs.length;
  await once(socket, 'connect');
  await eventually(() => expect(theirs.length).toBe(before + 1));
  return made;
}

const request = (length: number, body: string): string =>
  `POST / HTTP/1.1\r\ncontent-length: ${String(length)}\r\n\r\n${body}`;
const turn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

describe('a connection', () => {
  it('is closed when it says nothing at first', async () => {
    const { socket } = await client();
    clock.advance(HEADERS_TIMEOUT_MS - 1);
    await turn();
    expect(socket.readyState).toBe('open');
    clock.advance(1);
    await once(socket, 'close');
  });

  it('is closed when it asks nothing more, and not before', async () => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    // However long that takes.
    clock.advance(24 * 3_600_000);
    asked[0]?.answer('x');
    clock.advance(IDLE_TIMEOUT_MS - 1);
    one.socket.write(request(1, 'b'));
    await eventually(() => expect(asked).toHaveLength(2));
    asked[1]?.answer('y');
    clock.advance(IDLE_TIMEOUT_MS - 1);
    await eventually(() => expect(one.got).toMatch(/y$/));
    expect(one.socket.readyState).toBe('open');
    clock.advance(1);
    await once(one.socket, 'close');
  });

  it('waits for a body only so long, and says so', async () => {
    const one = await client();
    one.socket.write(request(2, 'a'));
    await eventually(() => expect(asked[0]?.body).toBe('a'));
    clock.advance(RECEIVE_TIMEOUT_MS - 1);
    await turn();
    expect(asked[0]?.told).toEqual([]);
    clock.advance(1);
    await once(one.socket, 'close');
    expect(one.got).toMatch(/^HTTP\/1\.1 408 [^]*"code":"invalid_request"/);
    expect(asked[0]?.told).toEqual(['closed', 'broken']);
  });

  it('takes nothing more when it has said so', async () => {
    const one = await client();
    one.socket.pause();
    one.socket.write(request(2, 'a'));
    await eventually(() => expect(asked[0]?.body).toBe('a'));
    clock.advance(RECEIVE_TIMEOUT_MS);
    theirs[0]?.emit('data', Buffer.from('b'));
    one.socket.resume();
    await once(one.socket, 'close');
    await eventually(() => expect(asked[0]?.told).toEqual(['closed', 'broken']));
    expect(asked[0]?.body).toBe('a');
  });

  it('does not, where an answer is on its way: it breaks', async () => {
    const one = await client();
    one.socket.write(request(2, 'a'));
    await eventually(() => expect(asked[0]?.body).toBe('a'));
    asked[0]?.response.begin(200, { 'content-length': '2' }, 0);
    asked[0]?.response.write('x');
    await turn();
    clock.advance(RECEIVE_TIMEOUT_MS);
    await once(one.socket, 'close');
    expect(one.got).toMatch(/\r\n\r\nx$/);
  });

  it('shares one timer with all others, and leaves none behind', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => client()));
    for (const { socket } of all) socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(5));
    for (const each of asked) each.answer('x');
    expect(clock.liveTimers).toBe(1);
    for (const { socket } of all) socket.destroy();
    await eventually(() => expect(clock.liveTimers).toBe(0));
  });

  it.each(['broke', 'was half closed'])('that %s has taken nothing of an answer', async (how) => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked[0]?.told).toEqual(['whole']));
    if (how === 'broke') theirs[0]?.destroy();
    else theirs[0]?.end();
    asked[0]?.answer('x');
    expect(asked[0]?.response.writableFinished).toBe(false);
    await once(one.socket, 'close');
    await eventually(() => expect(asked[0]?.told).toEqual(['whole', 'closed']));
    expect(asked[0]?.response.writableFinished).toBe(false);
  });

  it('tells whoever sends no more of a body, who can still read it, why that is a fault', async () => {
    const one = await client();
    one.socket.write(request(2, 'a'));
    await eventually(() => expect(asked[0]?.body).toBe('a'));
    one.socket.end();
    await once(one.socket, 'close');
    expect(one.got).toMatch(/^HTTP\/1\.1 400 [^]*The request ended before it was complete\./);
    await eventually(() => expect(asked[0]?.told).toEqual(['closed', 'broken']));
  });

  it('keeps what is sent too early, and takes it in turn', async () => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    const length = 900_000;
    const early = Buffer.from(request(length, 'b'.repeat(length)));
    // In many small pieces at first.
    for (let at = 0; at < 300; at += 1) theirs[0]?.emit('data', early.subarray(at, at + 1));
    one.socket.write(early.subarray(300));
    await eventually(() => expect(theirs[0]?.bytesRead).toBeGreaterThan(length - 300));
    asked[0]?.answer('x');
    await eventually(() => expect(asked[1]?.told).toEqual(['whole']));
    expect(asked[1]?.body).toHaveLength(length);
  });

  it('ends behind its answer where more than that is sent too early', async () => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    const much = request(2 * MOST_HELD_BYTES, 'b'.repeat(2 * MOST_HELD_BYTES));
    one.socket.write(much);
    await eventually(() => expect(theirs[0]?.bytesRead).toBeGreaterThan(much.length));
    expect(asked[0]?.told).toEqual(['whole']);
    asked[0]?.answer('x');
    await once(one.socket, 'close');
    expect(one.got).toMatch(/\r\n\r\nx$/);
    expect(asked).toHaveLength(1);
  });

  it.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'tells at once that a client has left (%s), however much it sent too early',
    async (leave) => {
      const one = await client();
      one.socket.write(request(1, 'a'));
      await eventually(() => expect(asked).toHaveLength(1));
      one.socket.write(request(400_000, 'b'.repeat(400_000)));
      await eventually(() => expect(theirs[0]?.bytesRead).toBeGreaterThan(400_000));
      one.socket[leave]();
      await eventually(() => expect(asked[0]?.told).toEqual(['whole', 'closed']));
      expect(asked).toHaveLength(1);
    },
  );

  it('may send an empty line behind a body, and stays', async () => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    one.socket.write('\r\n');
    await turn();
    asked[0]?.answer('x');
    await turn();
    one.socket.write('\r\n');
    await turn();
    expect(left).toHaveLength(0);
    one.socket.write(request(1, 'b'));
    await eventually(() => expect(asked).toHaveLength(2));
    asked[1]?.answer('y');
    await turn();
    // It is not kept open by them.
    clock.advance(IDLE_TIMEOUT_MS - 1);
    one.socket.write('\r\n');
    await turn();
    clock.advance(1);
    await once(one.socket, 'close');
    // Who has asked nothing yet is not judged here.
    const other = await client();
    other.socket.write('\r\n');
    await eventually(() => expect(left).toHaveLength(1));
  });

  it('is closed with the server when it is idle, unless it is so new that a request may be on its way', async () => {
    const fresh = await client();
    const used = await client();
    const busy = await client();
    used.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    asked[0]?.answer('x');
    busy.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(2));
    connections.closeIdle();
    await once(used.socket, 'close');
    expect([fresh.socket.readyState, busy.socket.readyState]).toEqual(['open', 'open']);
    clock.advance(5_000);
    connections.closeIdle();
    await once(fresh.socket, 'close');
    expect(busy.socket.readyState).toBe('open');
    connections.closeAll();
    await once(busy.socket, 'close');
    await eventually(() => expect(asked[1]?.told).toEqual(['whole', 'closed']));
  });
});

describe('a connection whose request is not for here', () => {
  const sent: [string, string, boolean][] = [
    ['since it is not plain', 'GET / HTTP/1.1\r\n\r\n', true],
    ['since nobody serves it', request(1, 'a'), false],
    ['since another stands behind it', request(1, 'a') + request(1, 'b'), true],
    ['since its head is not whole', 'POST / HTT', true],
  ];

  it.each(sent)('%s, is given away as it was', async (_why, bytes, isServed) => {
    serves = isServed;
    const one = await client();
    one.socket.write(bytes);
    await eventually(() => expect(left).toHaveLength(1));
    expect(left[0]).toBe(theirs[0]);
    const [given] = left as [Socket];
    one.socket.write('more');
    await eventually(() => expect(read).toBe(`${bytes}more`));
    expect(asked).toHaveLength(0);
    expect(given.listenerCount('data')).toBe(1);
    expect(
      ['end', 'drain', 'error', 'close'].flatMap((event) => given.listeners(event).map(({ name }) => name)),
    ).not.toContain('unheard');
    // It is nobody's business here any more.
    expect(clock.liveTimers).toBe(0);
    connections.closeAll();
    await turn();
    expect(one.socket.readyState).toBe('open');
  });

  it('is given away after others that were', async () => {
    const one = await client();
    one.socket.write(request(1, 'a'));
    await eventually(() => expect(asked).toHaveLength(1));
    one.socket.write('GET / HTTP/1.1\r\n\r\n');
    await turn();
    expect(left).toHaveLength(0);
    asked[0]?.answer('x');
    await eventually(() => expect(left).toHaveLength(1));
    expect(one.got).toMatch(/x$/);
  });
});
