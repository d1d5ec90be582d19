import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { aWallet } from '../../test/support/wallets.js';
import { MeshnetError } from '../kernel/index.js';
import { Registration } from '../registry/index.js';
import { WalletProofSettings } from '../settings/index.js';
import { base58, registrationText, WalletProofService } from './index.js';

const KEY = aWallet();
const OTHER = aWallet();
const FIELDS = {
  wallet: KEY.wallet,
  name: 'gpu-1',
  endpoint: 'http://10.0.0.7:9001/a"b\\c',
  model: 'Qwen/Ünï\u2028𝒬"\\',
  num_layers: 40,
  shard_start: 0,
  shard_end: 21,
  throughput_tps: 90.5,
  queue_depth: 3,
  max_concurrent: 8,
  upstream_model: 'qwen',
};

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

function service(required: 'true' | 'false' = 'true', trackerName = 'meshnet'): WalletProofService {
  const made = new WalletProofService(
    Object.assign(new WalletProofSettings(), { required, trackerName }),
    clock,
  );
  // What was signed before the start is not what these tests are about.
  clock.advance(600_000);
  return made;
}

function signed(fields: object = {}, key = KEY, tracker = 'meshnet', timeMs = clock.wallMs()): Registration {
  const all = { ...FIELDS, ...fields };
  return Object.assign(new Registration(), all, { proof: key.proofOf(all, tracker, timeMs) });
}

function codeOf(proofs: WalletProofService, body: Registration): string {
  try {
    proofs.check(body);
    return 'good';
  } catch (fault) {
    if (!(fault instanceof MeshnetError)) throw fault;
    return `${fault.code} ${String(fault.param)}`;
  }
}

function withProof(body: Registration, proof: object): Registration {
  return Object.assign(new Registration(), body, { proof: { ...body.proof, ...proof } });
}

const INVALID = 'wallet_proof_invalid proof';
const MALFORMED = 'invalid_request proof';

describe('a proof', () => {
  it('is good once', () => {
    const proofs = service();
    const body = signed();
    expect(codeOf(proofs, body)).toBe('good');
    expect(codeOf(proofs, body)).toBe(INVALID);
    expect(codeOf(proofs, signed())).toBe('good');
  });

  it('is needed where it is required, and only there', () => {
    const body = Object.assign(new Registration(), FIELDS);
    expect(codeOf(service('true'), body)).toBe('wallet_proof_required proof');
    expect(codeOf(service('false'), body)).toBe('good');
    expect(codeOf(service('false'), Object.assign(new Registration(), FIELDS, { proof: null }))).toBe('good');
  });

  it('has to be good where it is offered, required or not', () => {
    expect(codeOf(service('false'), signed())).toBe('good');
    expect(codeOf(service('false'), signed({}, OTHER))).toBe(INVALID);
  });

  it('is good within a minute of the tracker’s time, and not a millisecond longer', () => {
    const proofs = service();
    for (const [skewMs, code] of [
      [-60_000, 'good'],
      [60_000, 'good'],
      [-60_001, INVALID],
      [60_001, INVALID],
    ] as const) {
      expect(codeOf(proofs, signed({}, KEY, 'meshnet', clock.wallMs() + skewMs))).toBe(code);
    }
    const body = signed();
    clock.advance(60_001);
    expect(codeOf(proofs, body)).toBe(INVALID);
  });

  it('is not replayed when the clock is set back', () => {
    const proofs = service();
    const body = signed();
    expect(codeOf(proofs, body)).toBe('good');
    clock.stepWall(200_000);
    expect(codeOf(proofs, signed())).toBe('good');
    clock.stepWall(-200_000);
    expect(codeOf(proofs, body)).toBe(INVALID);
  });

  it('is not good at a tracker that started after it was signed: another may have taken it', () => {
    const body = signed();
    clock.advance(10);
    const proofs = new WalletProofService(new WalletProofSettings(), clock);
    expect(codeOf(proofs, body)).toBe(INVALID);
    expect(codeOf(proofs, signed())).toBe('good');
  });

  it('is good at the tracker that it names alone', () => {
    expect(codeOf(service('true', 'other'), signed())).toBe(INVALID);
    expect(codeOf(service('true', 'other'), signed({}, KEY, 'other'))).toBe('good');
  });

  it('of one wallet is none of another', () => {
    const proofs = service();
    expect(codeOf(proofs, signed({}, OTHER))).toBe(INVALID);
    expect(codeOf(proofs, Object.assign(signed(), { wallet: OTHER.wallet }))).toBe(INVALID);
  });

  it('leaves no nonce behind when it is not good', () => {
    const proofs = service();
    const body = signed();
    const stranger = withProof(signed({}, OTHER), { nonce: body.proof?.nonce });
    expect(codeOf(proofs, stranger)).toBe(INVALID);
    expect(codeOf(proofs, body)).toBe('good');
  });

  it.each(['alice', base58(Buffer.alloc(31, 7)), base58(Buffer.alloc(32, 0)), base58(Buffer.alloc(33, 7))])(
    'needs a wallet that is a key, which %s is not',
    (wallet) => {
      expect(codeOf(service(), Object.assign(signed(), { wallet }))).toBe('invalid_request wallet');
    },
  );

  it.each<[string, object]>([
    ['no time', { time_ms: undefined }],
    ['time as text', { time_ms: '1' }],
    ['half a millisecond', { time_ms: 1.5 }],
    ['time before time', { time_ms: -1 }],
    ['time beyond numbers', { time_ms: 2 ** 53 }],
    ['no nonce', { nonce: undefined }],
    ['a short nonce', { nonce: 'a'.repeat(15) }],
    ['a long nonce', { nonce: 'a'.repeat(65) }],
    ['another line in the nonce', { nonce: `${'a'.repeat(16)}\nb` }],
    ['a nonce that is no text', { nonce: ['a'.repeat(16)] }],
    ['no signature', { signature: undefined }],
    ['a short signature', { signature: Buffer.alloc(63).toString('base64') }],
    ['a long signature', { signature: Buffer.alloc(65).toString('base64') }],
    ['a signature without padding', { signature: Buffer.alloc(64).toString('base64').replace(/=/g, '') }],
    ['a signature in base64url', { signature: Buffer.alloc(64, 255).toString('base64url') }],
    ['a signature with blanks', { signature: ` ${Buffer.alloc(64).toString('base64')}` }],
    ['bits left over in its last digit', { signature: `${'A'.repeat(85)}B==` }],
  ])('of another form is no proof: %s', (_what, proof) => {
    expect(codeOf(service(), withProof(signed(), proof))).toBe(MALFORMED);
  });
});

describe('whatever is changed', () => {
  it('each bit of each byte of the signature', () => {
    const proofs = service();
    const body = signed();
    const bytes = Buffer.from(body.proof?.signature ?? '', 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        expect([at, codeOf(proofs, withProof(body, { signature: flipped.toString('base64') }))]).toEqual([
          at,
          INVALID,
        ]);
      }
    }
    expect(codeOf(proofs, body)).toBe('good');
  });

  it('each character of each field, and each field left out or put elsewhere', () => {
    const proofs = service();
    const body = signed();
    const changed: object[] = [];
    for (const [field, value] of Object.entries(FIELDS)) {
      if (field === 'wallet') continue;
      changed.push({ [field]: null }, { [field]: undefined });
      if (typeof value === 'number') changed.push({ [field]: value + 1 }, { [field]: String(value) });
      else {
        for (let at = 0; at < value.length; at += 1) {
          const other = String.fromCharCode(value.charCodeAt(at) ^ 1);
          changed.push({ [field]: value.slice(0, at) + other + value.slice(at + 1) });
          changed.push({ [field]: value.slice(0, at) + value.slice(at + 1) });
        }
      }
    }
    changed.push({ shard_start: 21, shard_end: 0 }, { name: 'qwen', upstream_model: 'gpu-1' });
    for (const fields of changed) {
      expect([fields, codeOf(proofs, Object.assign(new Registration(), body, fields))]).toEqual([
        fields,
        INVALID,
      ]);
    }
    expect(codeOf(proofs, body)).toBe('good');
  });

  it('the time and each character of the nonce', () => {
    const proofs = service();
    const body = signed();
    const { time_ms: timeMs, nonce } = body.proof!;
    const changed: object[] = [{ time_ms: timeMs + 1 }, { time_ms: timeMs - 1 }];
    for (let at = 0; at < nonce.length; at += 1) {
      changed.push({ nonce: `${nonce.slice(0, at)}_${nonce.slice(at + 1)}` });
    }
    for (const proof of changed) expect(codeOf(proofs, withProof(body, proof))).toBe(INVALID);
  });

  it('each byte of the text itself', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const context = { tracker: 'meshnet', timeMs: 1, nonce: 'n'.repeat(16) };
    const text = Buffer.from(registrationText(FIELDS, context));
    const signature = sign(null, text, privateKey);
    const key = createPublicKey(privateKey);
    expect(verify(null, text, key, signature)).toBe(true);
    for (let at = 0; at < text.length; at += 1) {
      const flipped = Buffer.from(text);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      expect(verify(null, flipped, key, signature)).toBe(false);
    }
  });
});
