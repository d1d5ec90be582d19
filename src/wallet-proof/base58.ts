/** Bitcoin's alphabet: without 0, O, I and l, which look like others. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;

/** Bytes as base58; each leading zero byte is a leading `1`. */
export function base58(bytes: Uint8Array): string {
  let left = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (; left > 0n; left /= BASE) digits = (ALPHABET[Number(left % BASE)] ?? '') + digits;
  return ALPHABET.charAt(0).repeat(leading(bytes, 0)) + digits;
}

/** The bytes that are written so, or null where these are none; no two texts are the same bytes. */
export function fromBase58(text: string): Uint8Array | null {
  let value = 0n;
  for (const digit of text) {
    const at = ALPHABET.indexOf(digit);
    if (at < 0) return null;
    value = value * BASE + BigInt(at);
  }
  const hex = value === 0n ? '' : value.toString(16);
  const body = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.alloc(leading(text, ALPHABET[0])), body]);
}

function leading<T>(list: ArrayLike<T>, wanted: T | undefined): number {
  let count = 0;
  while (count < list.length && list[count] === wanted) count += 1;
  return count;
}
