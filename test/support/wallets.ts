import { generateKeyPairSync } from 'node:crypto';
import { NodeKey } from '../../src/demo/node-key.js';

/** A wallet that nobody else has, with its key. */
export function aWallet(): NodeKey {
  return new NodeKey(generateKeyPairSync('ed25519').privateKey);
}
