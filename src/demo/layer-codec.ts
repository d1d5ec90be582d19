import { createHash } from 'node:crypto';
import { spanLength, type LayerSpan } from '../kernel/span.js';

/**
 * Layers that prove that they ran. Each one mixes the token state with its own key, undoably and never commuting
 * with another; the head's embedding is the token with all of them undone. So the text reads well only if layers
 * 0..N-1 ran once each and in order: a hop that starts at the wrong layer shows as garbage, as it would in a model.
 *
 * A state at rest is `length (2 bytes), UTF-8, zeros`, at least 16 bytes with at least 8 zeros, which garbage meets
 * with a chance of 2^-64 at most.
 */
const KEY_BYTES = 32;
const LENGTH_BYTES = 2;
const STATE_MIN_BYTES = 16;
const ZEROS_MIN_BYTES = 8;
const KEYS_MAX = 4096;

const keys = new Map<string, Buffer>();

/**
 * The state that all layers of `model` turn into `token`.
 *
 * @throws RangeError for a token over 65,535 bytes
 */
export function embed(token: string, model: string, numLayers: number): Buffer {
  const state = atRest(token);
  for (let layer = numLayers - 1; layer >= 0; layer -= 1) undoLayer(state, keyOf(model, layer));
  return state;
}

/** The state after layers `span.start..span.end` ran over it, in order; `state` itself stays as it is. */
export function applyLayers(state: Uint8Array, model: string, span: LayerSpan): Buffer {
  const after = Buffer.from(state);
  for (let i = 0; i < spanLength(span); i += 1) applyLayer(after, keyOf(model, span.start + i));
  return after;
}

/** The token a finished state says; any other bytes come out as visible garbage, never as a fault. */
export function decode(state: Uint8Array): string {
  const bytes = Buffer.from(state);
  return readAtRest(bytes) ?? Array.from(bytes, visible).join('');
}

function atRest(token: string): Buffer {
  const text = Buffer.from(token, 'utf8');
  if (text.length > 0xffff) throw new RangeError('a token has at most 65535 bytes');
  const state = Buffer.alloc(Math.max(STATE_MIN_BYTES, LENGTH_BYTES + text.length + ZEROS_MIN_BYTES));
  state.writeUInt16BE(text.length);
  text.copy(state, LENGTH_BYTES);
  return state;
}

function readAtRest(state: Buffer): string | null {
  if (state.length < STATE_MIN_BYTES) return null;
  const end = LENGTH_BYTES + state.readUInt16BE();
  if (end + ZEROS_MIN_BYTES > state.length || state.subarray(end).some((byte) => byte !== 0)) return null;
  return state.toString('utf8', LENGTH_BYTES, end);
}

function visible(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '\ufffd';
}

/** Exclusive-or with the key and a running sum don't commute; turning the state round lets every byte reach every other. */
function applyLayer(state: Buffer, key: Buffer): void {
  let previous = key.readUInt8(KEY_BYTES - 1);
  for (const [i, byte] of state.entries()) {
    previous = ((byte ^ key.readUInt8(i % KEY_BYTES)) + turned(previous)) & 0xff;
    state[i] = previous;
  }
  state.reverse();
}

function undoLayer(state: Buffer, key: Buffer): void {
  state.reverse();
  let previous = key.readUInt8(KEY_BYTES - 1);
  for (const [i, byte] of state.entries()) {
    state[i] = ((byte - turned(previous)) & 0xff) ^ key.readUInt8(i % KEY_BYTES);
    previous = byte;
  }
}

function turned(byte: number): number {
  return ((byte << 3) | (byte >> 5)) & 0xff;
}

function keyOf(model: string, layer: number): Buffer {
  const name = `${String(layer)}\0${model}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  if (keys.size >= KEYS_MAX) keys.clear();
  const key = createHash('sha256').update(name).digest();
  keys.set(name, key);
  return key;
}
