import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnswerHead } from './answer-head.js';
import { AnswerParser, type AnswerSink } from './answer-parser.js';
import { HeadFault } from './head-fault.js';

/** Writes down what it is told. */
class Heard implements AnswerSink {
  status: number | null = null;
  headers: IncomingHttpHeaders = {};
  body = Buffer.alloc(0);
  whole: AnswerHead | null = null;
  fault: string | null = null;
  stopAt: 'head' | 'body' | null = null;
  readonly parser = new AnswerParser(this);

  constructor() {
    this.parser.begin();
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
    if (this.stopAt === 'head') this.parser.stop();
  }

  onBody(bytes: Buffer): void {
    this.body = Buffer.concat([this.body, bytes]);
    if (this.stopAt === 'body') this.parser.stop();
  }

  onWhole(head: AnswerHead): void {
    this.whole = head;
  }

  feed(...pieces: readonly (string | Buffer)[]): this {
    try {
      for (const piece of pieces) {
        this.parser.feed(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
      }
    } catch (fault) {
      if (!(fault instanceof HeadFault)) throw fault;
      this.fault = fault.code;
    }
    return this;
  }

  end(): this {
    this.parser.end();
    return this;
  }

  get text(): string {
    return this.body.toString('latin1');
  }
}

function heard(...pieces: readonly string[]): Heard {
  return new Heard().feed(...pieces);
}

/** The same bytes in pieces of other sizes. */
function inPieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    if (at >= bytes.length) break;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('an answer', () => {
  it.each([
    ['of known length', `${OK}content-length: 5\r\n\r\nhello`, 'hello', true],
    ['of no bytes', `${OK}content-length: 0\r\n\r\n`, '', true],
    ['without content', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    ['not modified', 'HTTP/1.1 304 x\r\ncontent-length: 7\r\n\r\n', '', true],
    ['in chunks', `${OK}transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n02\r\nlo\r\n0\r\n\r\n`, 'hello', true],
    [
      'in chunks with extensions and trailers',
      `${OK}Transfer-Encoding: Chunked\r\n\r\n5;a="b;c"\r\nhello\r\n0 ;x\r\nx-sum: 1\r\nx: \r\n\r\n`,
      'hello',
      true,
    ],
    [
      'with upper-case sizes',
      `${OK}transfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n`,
      '0123456789',
      true,
    ],
    [
      'behind one that is on its way',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\na`,
      'a',
      true,
    ],
    ['behind empty lines', `\r\n\n\r\n${OK}content-length: 1\r\n\r\na`, 'a', true],
    ['before an empty line', `${OK}content-length: 1\r\n\r\na\r\n`, 'a', true],
    [
      'in chunks, said twice',
      `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
      'a',
      true,
    ],
    ['as it is', `${OK}transfer-encoding: identity\r\ncontent-length: 1\r\n\r\na`, 'a', true],
    [
      'in chunks with padded sizes',
      `${OK}transfer-encoding: chunked\r\n\r\n0000000000000001 \t;x\r\na\r\n0\r\n\r\n`,
      'a',
      true,
    ],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na', 'a', true],
    ['with an empty reason', 'HTTP/1.1 200 \r\ncontent-length: 1\r\n\r\na', 'a', true],
    ['with the bytes of two', `${OK}content-length: 1\r\n\r\nabc`, 'a', false],
    ['with bytes behind its last chunk', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n\r\nx`, '', false],
    ['that closes', `${OK}connection: x, Close\r\ncontent-length: 1\r\n\r\na`, 'a', false],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na', 'a', false],
    [
      'of HTTP/1.0 that goes on',
      'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\ncontent-length: 1\r\n\r\na',
      'a',
      true,
    ],
  ])('%s is read, in whatever pieces it comes', (_what, sent, body, keepsAlive) => {
    const bytes = Buffer.from(sent, 'latin1');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 200 }), (sizes) => {
        const sink = new Heard().feed(...inPieces(bytes, sizes));
        expect(sink.fault).toBeNull();
        expect(sink.text).toBe(body);
        // What comes later is told to whoever reads the connection, which by then has nothing to ask.
        if (keepsAlive) expect(sink.whole?.keepsAlive).toBe(true);
      }),
      { numRuns: 40 },
    );
    expect(heard(sent).whole?.keepsAlive).toBe(keepsAlive);
  });

  it('ends with its connection where nothing else tells', () => {
    const sink = heard(`${OK}content-type: text/event-stream\r\n\r\n`, 'data: ', '1\n\n');
    expect([sink.text, sink.whole]).toEqual(['data: 1\n\n', null]);
    expect(sink.end().whole).toMatchObject({ keepsAlive: false });
  });

  it.each([
    `${OK}content-length: 5\r\n\r\nhell`,
    `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    OK,
    '',
  ])('is not whole because its connection ends: %j', (sent) => {
    const sink = heard(sent);
    expect([sink.parser.end(), sink.whole]).toEqual([false, null]);
  });

  it('has its headers as node:http would have them', () => {
    const lines = [
      ...['X-One:a', 'x-two: a', 'X-Two:\t b \t', 'connection: keep-alive', 'Connection: x-hop', 'x-empty:'],
      ...['set-cookie: a=1', 'set-cookie: b=2', 'content-type: text/event-stream', 'content-type: text/html'],
      ...[
        'retry-after: 7',
        'retry-after: 9',
        'x-latin: \xe9',
        'content-length: 0',
        'keep-alive: timeout=5, max=9',
      ],
    ];
    const sink = heard(`${OK}${lines.join('\r\n')}\r\n\r\n`);
    expect(sink.headers).toEqual({
      ...{ 'x-one': 'a', 'x-two': 'a, b', connection: 'keep-alive, x-hop', 'set-cookie': ['a=1', 'b=2'] },
      ...{ 'content-type': 'text/event-stream', 'retry-after': '7', 'x-latin': '\xe9', 'x-empty': '' },
      ...{ 'content-length': '0', 'keep-alive': 'timeout=5, max=9' },
    });
    expect(sink.whole).toMatchObject({ keepsAlive: true, idleSeconds: 5 });
  });

  it.each([
    ['timeout=5', 5],
    ['max=100, Timeout = 30', 30],
    ['max=5', null],
    ['timeout=x', null],
    ['xtimeout=3', null],
  ])('says how long its connection is kept: %s', (told, idleSeconds) => {
    const sink = heard(`${OK}keep-alive: ${told}\r\ncontent-length: 0\r\n\r\n`);
    expect(sink.whole?.idleSeconds).toBe(idleSeconds);
  });

  it('may be long, though each of its chunks has an extension', () => {
    const chunk = '1;n=000001\r\na\r\n';
    const sink = heard(`${OK}transfer-encoding: chunked\r\n\r\n`, chunk.repeat(5000), '0\r\n\r\n');
    expect([sink.fault, sink.text.length, sink.whole?.keepsAlive]).toEqual([null, 5000, true]);
  });

  it('is given on without a copy', () => {
    const bytes = Buffer.from(`${OK}content-length: 4\r\n\r\nabcd`);
    const parts: Buffer[] = [];
    const parser = new AnswerParser({
      onHead: () => undefined,
      onBody: (part) => void parts.push(part),
      onWhole: () => undefined,
    });
    parser.begin();
    parser.feed(bytes);
    expect(parts.map(({ buffer }) => buffer === bytes.buffer)).toEqual([true]);
  });

  it.each(['head', 'body'] as const)('is told no further once the %s has made somebody stop', (at) => {
    const sink = new Heard();
    sink.stopAt = at;
    sink.feed(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n`);
    expect([sink.text, sink.whole]).toEqual([at === 'head' ? '' : 'a', null]);
    sink.parser.begin();
    sink.stopAt = null;
    expect(sink.feed(`${OK}content-length: 0\r\n\r\n`).whole).toMatchObject({ keepsAlive: true });
  });

  it('of any bytes is told or refused, and never more than once', () => {
    const fragment = fc.constantFrom(
      ...[
        'HTTP/1.1 ',
        'HTTP/1.0 ',
        '200',
        ' OK',
        '\r\n',
        '\r',
        '\n',
        'content-length: ',
        '3',
        ': ',
        'a',
        '\0',
      ],
      ...[
        'transfer-encoding: chunked',
        '\r\n\r\n',
        '0',
        ';x',
        ' ',
        '\t',
        '\xff',
        'connection: close',
        '-1',
        'F',
      ],
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), fc.boolean(), (parts, isSplit) => {
        const sink = new Heard().feed(...(isSplit ? parts : [parts.join('')]));
        expect(sink.fault === null || sink.whole === null || isSplit).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** What node:http makes of the same bytes: its body, or null where it finds fault with them. */
async function asNodeReads(sent: string): Promise<string | null> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.from(sent, 'latin1')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const asked = request({ port, host: '127.0.0.1', method: 'POST', agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('latin1').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve(text));
        answer.on('error', () => resolve(null));
      });
      asked.on('error', () => resolve(null));
      asked.end();
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

describe('what is no answer', () => {
  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of letters', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status like a number', 'HTTP/1.1 2e2 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a status with a blank', 'HTTP/1.1  20 OK\r\ncontent-length: 0\r\n\r\n'],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ['the same length twice', `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\na`],
    ['a length that is none', `${OK}content-length: 1x\r\n\r\na`],
    ['a length below nothing', `${OK}content-length: -1\r\n\r\na`],
    ['length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and length', `${OK}transfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n0\r\n\r\n`],
    ['a line without a name', `${OK}: a\r\ncontent-length: 0\r\n\r\n`],
    ['a line without a colon', `${OK}abc\r\ncontent-length: 0\r\n\r\n`],
    ['a blank before the colon', `${OK}content-length : 0\r\n\r\n`],
    ['a chunk size that is none', `${OK}transfer-encoding: chunked\r\n\r\nx\r\n\r\n`],
    ['a chunk longer than it says', `${OK}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`],
    ['no chunk size', `${OK}transfer-encoding: chunked\r\n\r\n\r\n\r\n`],
    ['a control character', `${OK}x: a\0b\r\ncontent-length: 0\r\n\r\n`],
    ['a bare line feed', `${OK}x: a\ny: b\r\ncontent-length: 0\r\n\r\n`],
    ['a bare carriage return', `${OK}x: a\rb\r\ncontent-length: 0\r\n\r\n`],
  ])('is refused, by node:http too: %s', async (_what, sent) => {
    expect(heard(sent).fault).toBe('invalid_http');
    expect(await asNodeReads(sent)).toBeNull();
  });

  it.each([
    ['an older HTTP', 'HTTP/0.9 200 OK\r\n\r\n'],
    ['a newer HTTP', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a folded line', `${OK}x: a\r\n b\r\ncontent-length: 0\r\n\r\n`],
    ['garbage behind a chunk size', `${OK}transfer-encoding: chunked\r\n\r\n1 xx\r\na\r\n`],
    [
      'a chunk of more bytes than can be counted',
      `${OK}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
    ],
    ['a coding besides chunks', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a coding that is no chunks', `${OK}transfer-encoding: gzip\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['a line feed in a chunk extension', `${OK}transfer-encoding: chunked\r\n\r\n1;a\nb\r\n`],
  ])('is refused: %s', (_what, sent) => {
    expect(heard(sent).fault).toBe('invalid_http');
  });

  it('is told at the first byte that fits no answer', () => {
    expect(heard('HT', 'TP/1.1').fault).toBeNull();
    expect(heard('HT', 'X').fault).toBe('invalid_http');
    expect(heard('{"error"').fault).toBe('invalid_http');
    // Its head would have no end.
    expect(heard('HTTP/1.1 200 OK\ncontent-length: 0\n\n').fault).toBe('invalid_http');
    expect(heard('HTTP/1.1 200 OK\r', 'content-length: 0\r').fault).toBe('invalid_http');
    expect(heard(`${OK}content-length: 0\n`, '\n').fault).toBe('invalid_http');
  });

  it.each([
    [
      'header lines',
      [OK, ...Array.from({ length: 40 }, (_, n) => `x-${String(n)}: ${'a'.repeat(1000)}\r\n`)],
    ],
    ['a line without end', [`${OK}x: `, 'a'.repeat(33_000)]],
    ['chunk extensions', [`${OK}transfer-encoding: chunked\r\n\r\n1;`, 'a'.repeat(17_000)]],
    ['trailers', [`${OK}transfer-encoding: chunked\r\n\r\n0\r\nx:`, 'a'.repeat(17_000)]],
  ])('is told of too many %s', (_what, pieces) => {
    expect(heard(...pieces).fault).toBe('headers_too_long');
  });
});
