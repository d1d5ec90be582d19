import { createPublicKey, type KeyObject } from 'node:crypto';
import { fromBase58 } from './base58.js';

const KEY_BYTES = 32;
/** Of the field that the curve is over. */
const PRIME = 2n ** 255n - 19n;
/** One of the two ordinates of the curve's points of order eight; the other is its negative. */
const ORDER_EIGHT = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/**
 * Ordinates of all points whose order divides eight. For such a key there are signatures that fit many texts, and nobody
 * needs to hold anything to make them.
 */
const SMALL_ORDER: readonly bigint[] = [0n, 1n, PRIME - 1n, ORDER_EIGHT, PRIME - ORDER_EIGHT];

/** The public key that a wallet is, or null where it is none that can prove anything. */
export function keyOfWallet(wallet: string): KeyObject | null {
  const bytes = fromBase58(wallet);
  if (bytes?.length !== KEY_BYTES || !isSound(bytes)) return null;
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Whether it is written the one way a point has, and is of the large order. */
function isSound(bytes: Uint8Array): boolean {
  const bigEndian = Buffer.from(bytes).reverse().toString('hex');
  const ordinate = BigInt.asUintN(255, BigInt(`0x${bigEndian}`));
  return ordinate < PRIME && !SMALL_ORDER.includes(ordinate);
}
