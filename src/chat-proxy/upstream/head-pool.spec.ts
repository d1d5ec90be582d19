import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Deadlines } from '../../kernel/index.js';
import type { Exchange, HeadConnection } from './head-connection.js';
import { HeadPool } from './head-pool.js';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n';

/** A head's end of a connection. */
class FakeSocket extends Duplex {
  readonly written: string[] = [];
  /** The head reads nothing. */
  isStuck = false;

  override _read(): void {
    // What the head says is pushed.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.written.push(bytes.toString('latin1'));
    if (!this.isStuck) done();
  }

  answer(more = ''): void {
    this.push(Buffer.from(`${ANSWER}${more}\r\n{}`));
  }
}

/** A request that writes down what becomes of it. */
class FakeExchange implements Exchange {
  readonly events: string[] = [];
  readonly head: string;
  body = Buffer.from('{}');
  connection: HeadConnection | null = null;

  constructor(readonly name: string) {
    this.head = `${name} `;
  }

  onAssigned(connection: HeadConnection): void {
    this.connection = connection;
  }
  onSent(connection: HeadConnection): void {
    this.connection = connection;
    this.events.push(connection.isReused ? 'sent again' : 'sent');
  }
  onHead(status: number): void {
    this.events.push(String(status));
  }
  onBody(bytes: Buffer): void {
    this.events.push(bytes.toString());
  }
  onWhole(): void {
    this.events.push('whole');
  }
  onBroken(fault: Error): void {
    this.events.push('code' in fault ? String(fault.code) : fault.message);
  }
}

let clock: ManualClock;
let sockets: FakeSocket[];
let connects: ((fault: Error | null) => void)[];
let pool: HeadPool;

beforeEach(() => {
  clock = new ManualClock();
  sockets = [];
  connects = [];
  pool = aPool(2);
});

function aPool(mostConnections: number): HeadPool {
  return new HeadPool('http://head.example:8000/base', {
    mostConnections,
    deadlines: new Deadlines(clock),
    connect: (_target, { connected, received }) => {
      connects.push((fault) => {
        if (fault !== null) {
          connected(fault, null);
          return;
        }
        const socket = new FakeSocket();
        sockets.push(socket);
        socket.on('data', received);
        connected(null, socket as unknown as Socket);
      });
    },
  });
}

function send(name: string): FakeExchange {
  const exchange = new FakeExchange(name);
  pool.send(exchange);
  return exchange;
}

/** Streams tell in later turns, and a connection is free again after two more. */
async function turn(): Promise<void> {
  for (let times = 0; times < 4; times += 1) await new Promise((resolve) => setImmediate(resolve));
}

function socketAt(at: number): FakeSocket {
  const socket = sockets[at];
  if (socket === undefined) throw new Error('no such connection');
  return socket;
}

async function answered(at: number, more = ''): Promise<void> {
  socketAt(at).answer(more);
  await turn();
}

const SERVED = ['sent', '200', '{}', 'whole'];

describe('the connections to a head', () => {
  it('know where they lead', () => {
    expect([pool.host, pool.prefix]).toEqual(['head.example:8000', '/base']);
  });

  it('carry one request after another', async () => {
    const first = send('a');
    connects[0]?.(null);
    await answered(0);
    const second = send('b');
    await answered(0);
    expect([first.events, second.events]).toEqual([SERVED, ['sent again', '200', '{}', 'whole']]);
    expect([socketAt(0).written, sockets.length]).toEqual([['a {}', 'b {}'], 1]);
  });

  it('are no more than may be: whoever comes then waits, first come, first served', async () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(send);
    expect(connects).toHaveLength(2);
    connects.forEach((connect) => connect(null));
    pool.withdraw(d!);
    await answered(1);
    await answered(1);
    expect([a?.events, b?.events, c?.events]).toEqual([
      ['sent'],
      SERVED,
      ['sent again', '200', '{}', 'whole'],
    ]);
    expect([d?.events, e?.events]).toEqual([[], ['sent again']]);
  });

  it('that can’t be opened are told to whoever wanted them, and others are opened for those who wait', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(send);
    connects[0]?.(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    expect([a?.events, b?.events, c?.events]).toEqual([['ECONNREFUSED'], [], []]);
    connects[2]?.(null);
    expect(c?.events).toEqual(['sent']);
    expect(pool.size).toBe(2);
  });

  it('that nobody waits for any more are there for the next', async () => {
    const left = send('a');
    left.connection?.abandon(left);
    connects[0]?.(null);
    await turn();
    const next = send('b');
    expect([left.events, next.events, pool.size]).toEqual([[], ['sent'], 1]);
  });

  it('end with a request that is given up, so that no head works for nobody', async () => {
    const left = send('a');
    connects[0]?.(null);
    left.connection?.abandon(left);
    expect([socketAt(0).destroyed, left.events, pool.size]).toEqual([true, ['sent'], 0]);
    await turn();
  });

  it.each([
    ['nothing', '', 4000],
    ['a time', 'keep-alive: timeout=10\r\n', 8000],
    ['a long time', 'keep-alive: timeout=99999\r\n', 600_000],
  ])('are closed when idle for as long as a head allows that says %s', async (_what, told, idleMs) => {
    send('a');
    connects[0]?.(null);
    await answered(0, told);
    clock.advance(idleMs - 1);
    expect(socketAt(0).destroyed).toBe(false);
    clock.advance(1);
    expect([socketAt(0).destroyed, pool.size]).toEqual([true, 0]);
  });

  it('are closed by one timer, whichever was used last', async () => {
    send('a');
    send('b');
    connects.forEach((connect) => connect(null));
    await answered(0);
    clock.advance(3000);
    await answered(1);
    clock.advance(1000);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    clock.advance(3000);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(clock.liveTimers).toBe(0);
  });

  it.each([
    ['says that it closes', 'connection: close\r\n'],
    ['closes so soon that a request could meet it', 'keep-alive: timeout=2\r\n'],
  ])('are not used again where the head %s', async (_what, told) => {
    send('a');
    connects[0]?.(null);
    await answered(0, told);
    expect([socketAt(0).destroyed, pool.size]).toEqual([true, 0]);
  });

  it('are not used again where the head answered what it had not read', async () => {
    const early = send('a');
    early.body = Buffer.alloc(100_000, 'x');
    connects[0]?.(null);
    await answered(0);
    expect(socketAt(0).destroyed).toBe(false);
    const stuck = send('b');
    socketAt(0).isStuck = true;
    stuck.connection?.abandon(stuck);
    expect(pool.size).toBe(0);
    const next = send('c');
    connects[1]?.(null);
    socketAt(1).isStuck = true;
    const unread = new FakeExchange('d');
    unread.body = Buffer.alloc(100_000, 'x');
    await answered(1);
    expect(next.events).toEqual(SERVED);
    pool.send(unread);
    await answered(1);
    expect([unread.events.at(-1), socketAt(1).destroyed]).toEqual(['whole', true]);
  });

  it('carry a long body as it is', async () => {
    const long = new FakeExchange('a');
    long.body = Buffer.alloc(100_000, 'x');
    pool.send(long);
    connects[0]?.(null);
    await answered(0);
    expect(socketAt(0).written.join('')).toBe(`a ${'x'.repeat(100_000)}`);
  });

  it('are not used again before all sockets have been read once more, and not at all if more has come', async () => {
    const first = send('a');
    connects[0]?.(null);
    first.onWhole = () => void send('b');
    socketAt(0).answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(connects).toHaveLength(2);
    socketAt(0).answer();
    await turn();
    expect([socketAt(0).destroyed, pool.size]).toEqual([true, 1]);
  });

  it('outlast an empty line behind an answer', async () => {
    send('a');
    connects[0]?.(null);
    await answered(0);
    socketAt(0).push('\r\n');
    await turn();
    const next = send('b');
    await answered(0);
    expect(next.events).toEqual(['sent again', '200', '{}', 'whole']);
  });

  it('are closed in time, whatever others were told', async () => {
    send('a');
    send('b');
    connects.forEach((connect) => connect(null));
    await answered(0, 'keep-alive: timeout=60\r\n');
    await answered(1, 'keep-alive: timeout=5\r\n');
    clock.advance(3000);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true]);
    clock.advance(55_000);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it('end when a head speaks unasked, or ends them', async () => {
    const speak = (socket: FakeSocket): unknown => socket.push('HTTP/1.1 408 x\r\n\r\n');
    for (const fault of [speak, (socket: FakeSocket): unknown => socket.push(null)]) {
      const before = sockets.length;
      send('a');
      connects.at(-1)?.(null);
      await answered(before);
      fault(socketAt(before));
      await turn();
      expect([socketAt(before).destroyed, pool.size]).toEqual([true, 0]);
    }
  });

  it('tell whoever they carry that they broke, once', async () => {
    const cases: readonly [(socket: FakeSocket) => unknown, string][] = [
      [(socket) => socket.push(null), 'connection_closed'],
      [(socket) => socket.destroy(), 'connection_closed'],
      [(socket) => socket.destroy(Object.assign(new Error('x'), { code: 'ECONNRESET' })), 'ECONNRESET'],
      [(socket) => socket.push('no http'), 'invalid_http'],
    ];
    for (const [breaking, code] of cases) {
      const exchange = send('a');
      connects.at(-1)?.(null);
      breaking(socketAt(sockets.length - 1));
      await turn();
      await turn();
      expect(exchange.events).toEqual(['sent', code]);
    }
    expect(pool.size).toBe(0);
  });

  it('let what is under way finish when the pool closes, and take nothing new', async () => {
    const running = send('a');
    send('b');
    connects.forEach((connect) => connect(null));
    await answered(1);
    const waiting = new FakeExchange('w');
    pool.close();
    expect(socketAt(1).destroyed).toBe(true);
    pool.send(waiting);
    await answered(0);
    expect([running.events, waiting.events]).toEqual([SERVED, ['pool_closed']]);
    expect([socketAt(0).destroyed, pool.size, clock.liveTimers]).toEqual([true, 0, 0]);
  });

  it('end, all of them, when it is destroyed', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(send);
    connects[0]?.(null);
    pool.destroy();
    connects[1]?.(null);
    for (const exchange of [a, b, c]) expect(exchange?.events.at(-1)).toBe('pool_closed');
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
    expect(pool.size).toBe(0);
  });

  it('may be one more for a request that needs a fresh one, and fewer again after it', async () => {
    pool = aPool(1);
    send('a');
    connects[0]?.(null);
    const fresh = new FakeExchange('f');
    pool.sendFresh(fresh);
    connects[1]?.(null);
    await answered(1);
    expect([fresh.events, socketAt(1).destroyed, pool.size]).toEqual([SERVED, true, 1]);
  });
});
