import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { base58 } from '../wallet-proof/base58.js';
import type { ProofFields } from '../registry/registration.js';
import { registrationText, type SignedFields } from '../wallet-proof/registration-text.js';

/** A wallet's private key. */
export class NodeKey {
  /** Its public key, as the mesh knows it. */
  readonly wallet: string;

  constructor(private readonly key: KeyObject) {
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('the key is no Ed25519 key');
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    this.wallet = base58(Buffer.from(x, 'base64url'));
  }

  proofOf(fields: SignedFields, tracker: string, timeMs: number): ProofFields {
    const nonce = randomUUID();
    const text = registrationText(fields, { tracker, timeMs, nonce });
    return { time_ms: timeMs, nonce, signature: this.signatureOf(text) };
  }

  /** In base64. */
  signatureOf(text: string): string {
    return sign(null, Buffer.from(text), this.key).toString('base64');
  }
}

/** The key in this file (PEM, PKCS#8), made and kept there if there is none: for its owner's eyes only. */
export function keyFromFile(path: string): NodeKey {
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  }
  return new NodeKey(createPrivateKey(readFileSync(path)));
}
