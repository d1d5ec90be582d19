import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './openai-error.js';

interface Refused {
  readonly status: number;
  readonly message: string;
}

const NO_REQUEST: Refused = { status: 400, message: 'This is no HTTP request.' };
/** By what Node's parser calls it. */
const REFUSED: ReadonlyMap<string, Refused> = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The headers are too long.' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, message: 'The chunk extensions are too long.' }],
  ['HPE_INVALID_EOF_STATE', { status: 400, message: 'The request ended before it was complete.' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request took too long to come.' }],
]);
const refused = new WeakSet<Duplex>();

/** How Node calls a fault. */
export function codeOf(fault: Error): string {
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
}

/**
 * Ends a connection on which no request can be read, once. Node's own answer to that has no body; this one has OpenAI's.
 *
 * @param code why, as Node calls it
 * @param isAnswering an answer to an earlier request is on its way: nothing may be put into it
 */
export function refuseUnreadable(code: string, socket: Duplex, isAnswering: boolean): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  if (!socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, message } = REFUSED.get(code) ?? NO_REQUEST;
  const body = JSON.stringify(errorBody(status, message, null, 'invalid_request'));
  const lines = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'x-content-type-options: nosniff',
    'content-type: application/json; charset=utf-8',
    `content-length: ${String(Buffer.byteLength(body))}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
