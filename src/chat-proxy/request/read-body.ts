import type { BodySink, LaneRequest } from '../../http/index.js';
import { InvalidRequestError, PayloadTooLargeError, UnsupportedMediaError } from '../../kernel/index.js';

const NO_BYTES = Buffer.alloc(0);
const USUAL_TYPE = 'application/json';
const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i;
const UTF8_CHARSET = /charset\s*=\s*"?utf-?8"?/i;

/** Who wants a body: one of the two is called, once. */
export interface BodyTaker {
  whole(body: Buffer): void;
  failed(fault: unknown): void;
}

/**
 * The whole body, each byte once. To be called in the turn in which the request came.
 *
 * What `taker` is told of: PayloadTooLargeError as soon as it is known to be longer than `maxBytes`, the rest being read away;
 * InvalidRequestError where it breaks off.
 *
 * @throws PayloadTooLargeError where the client says beforehand that it is
 * @throws InvalidRequestError | UnsupportedMediaError for anything that isn't plain JSON in UTF-8
 */
export function readBody(request: LaneRequest, maxBytes: number, taker: BodyTaker): void {
  const { declaredLength, headers } = request;
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaError('Send the body without Content-Encoding.');
  }
  if (type !== undefined && type !== USUAL_TYPE) checkType(type);
  if (declaredLength !== null && declaredLength > maxBytes) throw tooLarge(maxBytes);
  request.takeBody(new BodyReader(request, maxBytes, taker));
}

/** Most bodies come in one part. */
class BodyReader implements BodySink {
  private first: Buffer | null = null;
  private parts: Buffer[] | null = null;
  private length = 0;

  constructor(
    private readonly request: LaneRequest,
    private readonly maxBytes: number,
    private readonly taker: BodyTaker,
  ) {}

  onBodyPart(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > this.maxBytes) {
      // Closing on a client that is still sending could take the answer from it too.
      this.request.letBodyGo();
      this.taker.failed(tooLarge(this.maxBytes));
    } else if (this.first === null) this.first = bytes;
    else if (this.parts === null) this.parts = [this.first, bytes];
    else this.parts.push(bytes);
  }

  onBodyEnd(): void {
    const { first, parts } = this;
    this.taker.whole(parts === null ? (first ?? NO_BYTES) : Buffer.concat(parts));
  }

  onBodyBroken(): void {
    this.taker.failed(new InvalidRequestError('The request ended before its body was complete.', null));
  }
}

function checkType(type: string): void {
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
