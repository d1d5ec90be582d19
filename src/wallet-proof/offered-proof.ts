import { InvalidRequestError } from '../kernel/index.js';
import type { ProofFields } from '../registry/index.js';

const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
const SIGNATURE_BYTES = 64;

/** The proof of a registration, of the right form; whether it is good is another matter. */
export interface OfferedProof {
  /** Unix ms. */
  readonly timeMs: number;
  readonly nonce: string;
  readonly signature: Buffer;
}

/**
 * @returns null where none is offered
 * @throws InvalidRequestError
 */
export function readProof(proof: ProofFields | null | undefined): OfferedProof | null {
  if (proof === null || proof === undefined) return null;
  // An object it is; what is in it nobody has looked at yet.
  const { time_ms: timeMs, nonce, signature } = proof as unknown as Record<string, unknown>;
  if (!Number.isSafeInteger(timeMs) || (timeMs as number) < 0) {
    throw refusal('proof.time_ms must be Unix time in whole milliseconds.');
  }
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) {
    throw refusal('proof.nonce must be 16 to 64 characters of A-Z a-z 0-9 _ -.');
  }
  const bytes = typeof signature === 'string' ? Buffer.from(signature, 'base64') : null;
  // One text for one signature: what the decoder passes over, or puts right, is none.
  if (bytes?.length !== SIGNATURE_BYTES || bytes.toString('base64') !== signature) {
    throw refusal('proof.signature must be 64 bytes in base64.');
  }
  return { timeMs: timeMs as number, nonce, signature: bytes };
}

function refusal(message: string): InvalidRequestError {
  return new InvalidRequestError(message, 'proof');
}
