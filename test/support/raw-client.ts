import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** What came back over a connection, byte for byte. */
export interface RawAnswer {
  readonly bytes: Buffer;
  /** null: what came is no HTTP answer, or nothing came. */
  readonly status: number | null;
  readonly head: string;
  readonly body: Buffer;
}

/** Whoever sent only a part of a request has to hang up before the server makes up its mind. */
const PATIENCE_MS = 150;
const MOST_MS = 10_000;

/**
 * Sends bytes, each piece in a packet of its own, on one connection, and hands back what came: the first answer, or
 * whatever there was when the server closed. Rejects when the server neither answers nor closes.
 */
export async function exchange(port: number, pieces: readonly Buffer[]): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const parts: Buffer[] = [];
  const over = new Promise<void>((resolve) => {
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      if (isWhole(readAnswer(Buffer.concat(parts)))) resolve();
    });
    socket.on('close', () => resolve());
    // The server may well close first; what it had said until then counts.
    socket.on('error', () => undefined);
  });
  try {
    await once(socket, 'connect');
    await sendAll(socket, pieces);
    if (!(await within(PATIENCE_MS, over))) socket.end();
    if (!(await within(MOST_MS, over))) throw new Error('the server neither answers nor closes');
  } finally {
    socket.destroy();
  }
  return readAnswer(Buffer.concat(parts));
}

/** Cuts bytes at these offsets, wherever they fall. */
export function cutAt(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const cuts = [...new Set(offsets.map((offset) => offset % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...cuts, bytes.length].map((end, at) => bytes.subarray(at === 0 ? 0 : cuts[at - 1], end));
}

async function sendAll(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    await turn();
  }
}

async function within(ms: number, event: Promise<void>): Promise<boolean> {
  const ends = new AbortController();
  const timer = new Promise<false>((resolve) => {
    const id = setTimeout(() => resolve(false), ms);
    ends.signal.addEventListener('abort', () => clearTimeout(id));
  });
  const isInTime = await Promise.race([event.then(() => true as const), timer]);
  ends.abort();
  return isInTime;
}

function readAnswer(bytes: Buffer): RawAnswer {
  const text = bytes.toString('latin1');
  const interim = /^HTTP\/1\.1 1\d\d .*?\r\n\r\n/s.exec(text)?.[0].length ?? 0;
  const end = text.indexOf('\r\n\r\n', interim);
  const head = end < 0 ? '' : text.slice(interim, end);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const body = unframed(head, bytes.subarray(end < 0 ? bytes.length : end + 4));
  return { bytes, status: status === undefined ? null : Number(status), head, body };
}

function isWhole({ bytes, status, head, body }: RawAnswer): boolean {
  if (status === null) return false;
  const length = lengthIn(head);
  if (length !== null) return body.length >= length;
  // A stream of events may have no end.
  if (/^content-type: text\/event-stream/im.test(head)) return true;
  return status === 204 || (isChunked(head) && bytes.toString('latin1').endsWith('0\r\n\r\n'));
}

function isChunked(head: string): boolean {
  return /^transfer-encoding: chunked/im.test(head);
}

function lengthIn(head: string): number | null {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length === undefined ? null : Number(length);
}

/** Another answer may follow this one. */
function unframed(head: string, body: Buffer): Buffer {
  if (!isChunked(head)) return body.subarray(0, lengthIn(head) ?? body.length);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? NaN : parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
