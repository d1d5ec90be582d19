import { verify } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, InvalidRequestError, WalletProofError, type Clock } from '../kernel/index.js';
import type { Registration } from '../registry/index.js';
import { WALLET_PROOF_SETTINGS, type WalletProofSettings } from '../settings/index.js';
import { Nonces, WINDOW_MS, type NonceVerdict } from './nonces.js';
import { readProof, type OfferedProof } from './offered-proof.js';
import { registrationText } from './registration-text.js';
import { keyOfWallet } from './wallet-key.js';

const NOT_FRESH: Readonly<Record<Exclude<NonceVerdict, 'fresh'>, string>> = {
  used: 'proof.nonce was used before: sign again with another.',
  too_old: 'proof.time_ms lies before what this tracker can still tell from a replay: sign again.',
  full: 'More wallets sign now than this tracker can remember: sign again in a minute.',
};

/** Checks the proofs of registrations. One that is offered has to be good, whether it is required or not. */
@Injectable()
export class WalletProofService {
  private readonly nonces: Nonces;

  constructor(
    @Inject(WALLET_PROOF_SETTINGS) private readonly settings: WalletProofSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.nonces = new Nonces(clock.wallMs());
  }

  get isRequired(): boolean {
    return this.settings.required === 'true';
  }

  /** @throws InvalidRequestError where something has not the right form, WalletProofError where it proves nothing */
  check(body: Registration): void {
    const proof = readProof(body.proof);
    if (proof === null) {
      if (!this.isRequired) return;
      const message =
        'This tracker takes nodes with a proof of their wallet only: docs/node-protocol.md, "Proving a wallet".';
      throw new WalletProofError(message, 'wallet_proof_required');
    }
    const now = this.clock.wallMs();
    if (Math.abs(proof.timeMs - now) > WINDOW_MS) {
      throw invalid(`proof.time_ms must be within ${String(WINDOW_MS / 1000)} s of this tracker's time.`);
    }
    this.checkSignature(body, proof);
    // Only now: who can't sign for a wallet must not fill what is remembered.
    const verdict = this.nonces.take(body.wallet, proof.nonce, proof.timeMs, now);
    if (verdict !== 'fresh') throw invalid(NOT_FRESH[verdict]);
  }

  private checkSignature(body: Registration, { timeMs, nonce, signature }: OfferedProof): void {
    const key = keyOfWallet(body.wallet);
    if (key === null) {
      throw new InvalidRequestError(
        'wallet must be an Ed25519 public key in base58, with a proof.',
        'wallet',
      );
    }
    const { trackerName: tracker } = this.settings;
    const text = Buffer.from(registrationText(body, { tracker, timeMs, nonce }));
    if (verify(null, text, key, signature)) return;
    throw invalid(
      `proof.signature must be the wallet's over this registration, for the tracker named ${JSON.stringify(tracker)}.`,
    );
  }
}

function invalid(message: string): WalletProofError {
  return new WalletProofError(message, 'wallet_proof_invalid');
}
