/**
 * wallet-proof: whether a registration comes from who holds its wallet's key.
 *
 * With a proof, a wallet is an Ed25519 public key in base58, and a registration carries a signature over a text of all its
 * fields, the tracker's name, the time and a nonce (RFC 8032; docs/node-protocol.md, "Proving a wallet", has the text and
 * vectors). Each proof is good once, within a minute, at one tracker. What it doesn't show: that the endpoint is the
 * wallet's too. docs/adr/0019 says why so.
 */
export { base58, fromBase58 } from './base58.js';
export { registrationText, type SignedFields } from './registration-text.js';
export { WalletProofModule } from './wallet-proof.module.js';
export { WalletProofService } from './wallet-proof.service.js';
