import { randomUUID } from 'node:crypto';
import type { LayerSpan } from './span.js';

const WALLET = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** Control characters, and halves of surrogate pairs, which no UTF-8 text can carry. */
const UNFIT_FOR_A_MODEL = /[\p{Cc}\p{Cs}]/u;
const MODEL_KEY_MAX = 256;

export const WALLET_RULE = '1 to 64 characters of A-Z a-z 0-9 _ -';
export const NAME_RULE = '1 to 128 characters of A-Z a-z 0-9 _ - .';
export const MODEL_KEY_RULE = `1 to ${String(MODEL_KEY_MAX)} characters without control characters`;

export function isWallet(value: unknown): value is string {
  return typeof value === 'string' && WALLET.test(value);
}

export function isNodeName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

export function isModelKey(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 2 * MODEL_KEY_MAX) return false;
  // Whatever has no more units than that has no more characters either.
  if (value.length > MODEL_KEY_MAX && Array.from(value).length > MODEL_KEY_MAX) return false;
  return !UNFIT_FOR_A_MODEL.test(value);
}

function owner(wallet: string, name: string | null): string {
  return name === null ? wallet : `${wallet}.${name}`;
}

/**
 * `<wallet>[.<name>]:<start>-<end>`, or `:all` for a node of the whole model. A wallet has no dot and neither
 * part has a colon, so two owners never share an id.
 */
export function nodeIdOf(wallet: string, name: string | null, shard: LayerSpan | null): string {
  const span = shard === null ? 'all' : `${String(shard.start)}-${String(shard.end)}`;
  return `${owner(wallet, name)}:${span}`;
}

/** The identity (wallet, name, model) as one string: what a registration replaces. */
export function identityKey(wallet: string, name: string | null, model: string): string {
  return `${owner(wallet, name)}:${model}`;
}

/** An id that can't be guessed: leases, requests. */
export function randomId(): string {
  return randomUUID();
}
