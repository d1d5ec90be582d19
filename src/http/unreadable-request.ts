import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './openai-error.js';

/** What Node's parser says, by its code. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const SAID: Readonly<Record<number, string>> = {
  400: 'This is no HTTP request.',
  408: 'The request took too long to come.',
  413: 'The chunk extensions are too long.',
  431: 'The headers are too long.',
};

/**
 * Ends a connection on which no request can be read. Node's own answer to that has no body; this one has OpenAI's.
 *
 * @param isAnswering an answer to an earlier request is on its way: nothing may be put into it
 */
export function refuseUnreadable(fault: Error, socket: Duplex, isAnswering: boolean): void {
  if (!socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
  const status = STATUS_OF[code] ?? 400;
  const body = JSON.stringify(errorBody(status, SAID[status] ?? '', null, 'invalid_request'));
  const lines = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'x-content-type-options: nosniff',
    'content-type: application/json; charset=utf-8',
    `content-length: ${String(Buffer.byteLength(body))}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
