import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeadReader } from './request-head.js';

interface Read {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: object;
  readonly body: string;
}

/** A connection without a socket. */
class Wire extends Duplex {
  override _read(): void {
    // What comes is pushed.
  }

  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}

/** What node:http makes of these bytes: the first request, if it is whole. */
async function byNode(bytes: Buffer): Promise<Read | null> {
  let read: Read | null = null;
  const server = createServer({ requireHostHeader: false }, (request: IncomingMessage) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('latin1')));
    request.on('end', () => {
      const headers = { ...request.headers };
      delete headers['content-length'];
      read ??= { method: request.method, url: request.url, headers, body };
    });
  });
  server.on('clientError', (_fault, socket) => socket.destroy());
  const wire = new Wire();
  server.emit('connection', wire);
  wire.push(bytes);
  await new Promise((turn) => setImmediate(turn));
  await new Promise((turn) => setImmediate(turn));
  wire.destroy();
  return read;
}

function byReader(reader: HeadReader, bytes: Buffer): Read | null {
  const head = reader.read(bytes);
  if (head === null) return null;
  const { method, url, headers } = head;
  const { bodyStart, bodyLength } = reader;
  return { method, url, headers, body: bytes.toString('latin1', bodyStart, bodyStart + bodyLength) };
}

function request(...lines: string[]): Buffer {
  return Buffer.from(['POST /v1/chat/completions HTTP/1.1', ...lines, '', 'abcde'].join('\r\n'), 'latin1');
}

let reader: HeadReader;
beforeEach(() => {
  reader = new HeadReader();
});

describe('the head of a plain request', () => {
  it('is read', () => {
    const bytes = request(
      'Host: t',
      'Content-Type:application/json',
      'X-A:  \t\u00e9 b\t ',
      'Content-Length: 5',
    );
    expect(reader.read(bytes)).toMatchObject({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: { host: 't', 'content-type': 'application/json', 'x-a': '\u00e9 b' },
      rawHeaders: ['Host', 't', 'Content-Type', 'application/json', 'X-A', '\u00e9 b'],
    });
    expect(bytes.toString('latin1', reader.bodyStart)).toBe('abcde');
    expect(reader.bodyLength).toBe(5);
  });

  it('is made out once for all that differ in the length of their bodies alone, on whatever connection', () => {
    const first = reader.read(request('x-once: 1', 'content-length: 5', 'x-b: 2'));
    expect(reader.read(request('x-once: 1', 'content-length: 1234', 'x-b: 2'))).toBe(first);
    expect(reader.bodyLength).toBe(1234);
    const other = new HeadReader();
    expect(other.read(request('x-once: 1', 'content-length: 77', 'x-b: 2'))).toBe(first);
    expect(other.bodyLength).toBe(77);
    expect(other.read(request('x-once: 1', 'content-length: 77', 'x-b: 3'))).not.toBe(first);
    expect(reader.read(request('x-once: 1', 'content-length: 8', 'x-b: 2'))).toBe(first);
    expect(reader.bodyLength).toBe(8);
  });

  it.each([
    ['content-length: 5', 'x-b: 2'],
    ['x-b: 2', 'content-length: 5'],
  ])('is not that of another whose length is none (%s, %s)', (...lines) => {
    expect(reader.read(request(...lines))).not.toBeNull();
    for (const odd of ['', '+5', '5 5', '5\r\nx-c: 1\r\nx-d:5', '0x5', '5,5', '-1', '1e1', '1234567890']) {
      const told = reader.read(request(...lines.map((line) => line.replace(': 5', `: ${odd}`))));
      if (odd.includes('x-c')) expect(told?.headers).toHaveProperty('x-c', '1');
      else expect(told).toBeNull();
    }
  });

  it.each([
    ['is not whole', Buffer.from('POST / HTTP/1.1\r\ncontent-length: 0\r\n')],
    ['tells no length', request('host: t')],
    ['tells it twice', request('content-length: 5', 'Content-Length: 5')],
    ['comes in chunks', request('content-length: 5', 'transfer-encoding: chunked')],
    ['ends its connection', request('content-length: 5', 'connection: close')],
    ['asks for another protocol', request('content-length: 5', 'connection: upgrade', 'upgrade: h2c')],
    ['waits for a sign', request('content-length: 5', 'expect: 100-continue')],
    ['has a header twice', request('content-length: 5', 'x-a: 1', 'X-A: 2')],
    ['has a folded line', request('content-length: 5', 'x-a: 1', ' more')],
    ['has a blank before a colon', request('content-length: 5', 'x-a : 1')],
    ['has a line without a colon', request('content-length: 5', 'x-a')],
    ['has a line without a name', request('content-length: 5', ': a')],
    ['has a bare line feed', request('content-length: 5', 'x-a: 1\nx-b: 2')],
    ['has a bare carriage return', request('content-length: 5', 'x-a: 1\rx-b: 2')],
    ['has a zero', request('content-length: 5', 'x-a: \0')],
    ['has the name of what every object has', request('content-length: 5', 'constructor: a')],
    ['would change what every object has', request('content-length: 5', '__proto__: a')],
    [
      'has too many headers',
      request('content-length: 5', ...Array.from({ length: 70 }, (_, n) => `x-${String(n)}: 1`)),
    ],
    ['is too long', request('content-length: 5', `x-a: ${'a'.repeat(9000)}`)],
    ['begins with an empty line', Buffer.concat([Buffer.from('\r\n'), request('content-length: 5')])],
    ['is of an older kind', Buffer.from('POST / HTTP/1.0\r\ncontent-length: 0\r\n\r\n')],
    ['asks otherwise', Buffer.from('GET / HTTP/1.1\r\ncontent-length: 0\r\n\r\n')],
    ['names a host', Buffer.from('POST http://h/ HTTP/1.1\r\ncontent-length: 0\r\n\r\n')],
    ['has blanks in its path', Buffer.from('POST /a b HTTP/1.1\r\ncontent-length: 0\r\n\r\n')],
  ])('is not one that %s', (_what, bytes) => {
    expect(reader.read(bytes)).toBeNull();
  });
});

describe('whatever is read', () => {
  const names = [
    'host',
    'Content-Length',
    'content-length',
    'x-a',
    'X-A',
    'accept',
    'connection',
    'cookie',
    'x_b',
    'set-cookie',
    'keep-alive',
    'transfer-encoding',
    'te',
    'authorization',
    'content-type',
    'user-agent',
    'from',
    'x a',
    'toString',
    '',
    'é',
    'date',
    'if-match',
  ];
  const values = [
    '',
    '0',
    '3',
    '5',
    '05',
    '5 ',
    '\t5',
    '+5',
    '5;',
    'keep-alive',
    'Keep-Alive',
    'close',
    'a',
    'a b',
    'a\tb',
    '\u00ff',
    'chunked',
    '"',
    ':',
    'a:b',
    '\x7f',
    '\x01',
    '\n',
    '\r',
    'é',
  ];
  const blanks = ['', ' ', '\t', '  ', ' \t '];
  const ends = [
    '\r\n',
    '\r\n',
    '\r\n',
    '\r\n',
    '\r\n',
    '\r\n',
    '\r\n',
    '\r\n',
    '\n',
    '\r',
    '\r\n ',
    '\r\r\n',
  ];
  const line = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom('', '', '', '', ' '),
      fc.constantFrom(...blanks),
      fc.constantFrom(...values),
      fc.constantFrom(...blanks),
      fc.constantFrom(...ends),
    )
    .map(([name, gap, before, value, after, end]) => `${name}${gap}:${before}${value}${after}${end}`);
  const start = fc.constantFrom(
    'POST / HTTP/1.1\r\n',
    'POST /v1/chat/completions?a=b HTTP/1.1\r\n',
    'PUT /v1/leases/x HTTP/1.1\r\n',
    'POST /%zz/../# HTTP/1.1\r\n',
    'POST / HTTP/1.2\r\n',
    'POST  / HTTP/1.1\r\n',
    'POST / HTTP/1.1\n',
    'PUT /" HTTP/1.1\r\n',
    'post / HTTP/1.1\r\n',
  );
  const length = fc.constantFrom(
    'content-length: 3\r\n',
    'Content-Length:5\r\n',
    'content-length: 0\r\n',
    '',
  );
  const text = fc
    .tuple(start, fc.array(line, { maxLength: 5 }), length, fc.array(line, { maxLength: 3 }))
    .map(([first, some, middle, more]) => `${first}${some.join('')}${middle}${more.join('')}\r\nabcde`);

  it('is what node:http reads', async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(text, async (sent) => {
        const bytes = Buffer.from(sent, 'latin1');
        const ours = byReader(reader, bytes);
        if (ours === null) return;
        plain += 1;
        const { bodyStart, bodyLength } = reader;
        expect(await byNode(bytes.subarray(0, bodyStart + bodyLength))).toEqual(ours);
        // Known by now, or not: the same.
        expect(byReader(reader, bytes)).toEqual(ours);
        expect(byReader(new HeadReader(), bytes)).toEqual(ours);
      }),
      { numRuns: 5000 },
    );
    expect(plain).toBeGreaterThan(100);
  });
});
