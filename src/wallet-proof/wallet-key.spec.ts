import { describe, expect, it } from '@jest/globals';
import { base58 } from './index.js';
import { keyOfWallet } from './wallet-key.js';

const P = 2n ** 255n - 19n;
/** Minus 121665/121666, of the curve −x² + y² = 1 + dx²y². */
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;
const ORDER_EIGHT = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

function walletOf(ordinate: bigint, sign = 0n): string {
  const hex = (ordinate + sign * 2n ** 255n).toString(16).padStart(64, '0');
  return base58(Buffer.from(hex, 'hex').reverse());
}

describe('a wallet as a key', () => {
  it('is that of RFC 8032, its first test', () => {
    const hex = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
    const key = keyOfWallet(base58(Buffer.from(hex, 'hex')));
    expect(key?.export({ format: 'jwk' }).x).toBe(Buffer.from(hex, 'hex').toString('base64url'));
  });

  it('is none of small order, however it is written', () => {
    for (const sign of [0n, 1n]) {
      for (const ordinate of [0n, 1n, P - 1n, P, P + 1n, ORDER_EIGHT, P - ORDER_EIGHT]) {
        expect(keyOfWallet(walletOf(ordinate, sign))).toBeNull();
      }
    }
  });

  it('knows the points of order eight: twice one is a point whose ordinate is nothing', () => {
    const y2 = (ORDER_EIGHT * ORDER_EIGHT) % P;
    expect((D * y2 * y2 + 2n * y2 - 1n) % P).toBe(0n);
  });

  it('is none that is written otherwise than its point is', () => {
    for (let above = 0n; above < 19n; above += 1n) expect(keyOfWallet(walletOf(P + above))).toBeNull();
  });

  it.each([
    ['a name', 'alice'],
    ['nothing', ''],
    ['a byte too few', base58(Buffer.alloc(31, 7))],
    ['a byte too many', base58(Buffer.alloc(33, 7))],
    ['a leading zero too many', `1${base58(Buffer.alloc(32, 7))}`],
    ['another alphabet', base58(Buffer.alloc(32, 7)).replace(/.$/, '0')],
  ])('is none: %s', (_what, wallet) => {
    expect(keyOfWallet(wallet)).toBeNull();
  });
});
