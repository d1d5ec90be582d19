import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeFault } from './node-faults.js';

/**
 * @throws NodeFault 413 for a body over `maxBytes`, 400 where it isn't JSON
 */
export async function readJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
  }
  if (bytes > maxBytes) {
    throw new NodeFault(413, 'request_too_large', `A body has at most ${String(maxBytes)} bytes.`);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    throw new NodeFault(400, 'invalid_json', 'The body is not JSON.');
  }
}

export function sendJson(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}

/** Aborts when the other side closes the connection before the answer is whole. */
export function leftSignal(res: ServerResponse): AbortSignal {
  const left = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) left.abort(new Error('the client closed the connection'));
  });
  return left.signal;
}
