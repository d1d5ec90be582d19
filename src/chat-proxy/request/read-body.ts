import type { IncomingMessage } from 'node:http';
import { InvalidRequestError, PayloadTooLargeError, UnsupportedMediaError } from '../../kernel/index.js';

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i;
const UTF8_CHARSET = /charset\s*=\s*"?utf-?8"?/i;

/**
 * The whole body, each byte once.
 *
 * @throws PayloadTooLargeError as soon as it is known to be longer than `maxBytes`; the rest is read away
 * @throws InvalidRequestError | UnsupportedMediaError for anything that isn't plain JSON in UTF-8
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkHeaders(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        chunks.length = 0;
        // Closing on a client that is still sending could take the answer from it too.
        request.removeAllListeners('data').resume();
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on('close', () => {
      // Every request closes; an error with its stack is made only for a client that left while it was sending.
      if (request.readableEnded) return;
      reject(new InvalidRequestError('The request ended before its body was complete.', null));
    });
    request.on('error', () => reject(new InvalidRequestError('The request broke off.', null)));
  });
}

function checkHeaders({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaError('Send the body without Content-Encoding.');
  }
  const type = headers['content-type'];
  if (type === undefined) return;
  if (!JSON_TYPE.test(type)) {
    throw new InvalidRequestError('Send the body with Content-Type: application/json.', null);
  }
  if (/charset/i.test(type) && !UTF8_CHARSET.test(type)) {
    throw new UnsupportedMediaError('Send the body as UTF-8.');
  }
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The body is longer than the ${String(maxBytes)} bytes that MESHNET_MAX_BODY_BYTES allows.`,
  );
}
