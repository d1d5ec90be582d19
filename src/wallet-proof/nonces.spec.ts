import { describe, expect, it } from '@jest/globals';
import { Nonces, WINDOW_MS } from './nonces.js';

const NOW = 1_000_000_000;

describe('nonces', () => {
  it('are taken once a wallet', () => {
    const nonces = new Nonces(0);
    expect(nonces.take('a', 'n', NOW, NOW)).toBe('fresh');
    expect(nonces.take('a', 'n', NOW, NOW)).toBe('used');
    expect(nonces.take('a', 'n', NOW + 5, NOW)).toBe('used');
    expect(nonces.take('b', 'n', NOW, NOW)).toBe('fresh');
    expect(nonces.take('a', 'o', NOW, NOW)).toBe('fresh');
  });

  it('of before the start may have been used', () => {
    const nonces = new Nonces(NOW);
    expect(nonces.take('a', 'n', NOW - 1, NOW)).toBe('too_old');
    expect(nonces.take('a', 'n', NOW, NOW)).toBe('fresh');
  });

  it('are forgotten when their time is over, and not taken again when the clock is set back', () => {
    const nonces = new Nonces(0);
    nonces.take('a', 'n', NOW, NOW);
    nonces.take('b', 'n', NOW + WINDOW_MS, NOW);
    expect(nonces.take('c', 'n', NOW, NOW + WINDOW_MS)).toBe('fresh');
    expect(nonces.size).toBe(3);
    nonces.take('c', 'late', NOW + 2 * WINDOW_MS, NOW + 2 * WINDOW_MS);
    expect(nonces.size).toBe(2);
    expect(nonces.take('a', 'n', NOW, NOW)).toBe('too_old');
    expect(nonces.take('b', 'n', NOW + WINDOW_MS, NOW)).toBe('used');
  });

  it('of one wallet that has too many push out its own alone, which are not taken again', () => {
    const nonces = new Nonces(0, 100, 3);
    nonces.take('b', 'n', NOW, NOW);
    for (const at of [0, 1, 2, 3]) expect(nonces.take('a', `n${String(at)}`, NOW + at, NOW)).toBe('fresh');
    expect(nonces.size).toBe(4);
    expect(nonces.take('a', 'n0', NOW, NOW)).toBe('too_old');
    expect(nonces.take('a', 'n3', NOW + 3, NOW)).toBe('used');
    expect(nonces.take('b', 'n', NOW, NOW)).toBe('used');
    expect(nonces.take('b', 'o', NOW, NOW)).toBe('fresh');
  });

  it('older than all that a full wallet has push out nothing', () => {
    const nonces = new Nonces(0, 100, 1);
    nonces.take('a', 'n', NOW, NOW);
    expect(nonces.take('a', 'o', NOW - 1, NOW)).toBe('too_old');
    expect(nonces.take('a', 'n', NOW, NOW)).not.toBe('fresh');
  });

  it('of too many wallets turn away those that have none, and no others', () => {
    const nonces = new Nonces(0, 3, 3);
    for (const wallet of ['a', 'b', 'c']) nonces.take(wallet, 'n', NOW, NOW);
    expect(nonces.take('d', 'n', NOW, NOW)).toBe('full');
    expect(nonces.take('a', 'o', NOW + 1, NOW)).toBe('fresh');
    expect(nonces.take('a', 'n', NOW, NOW)).toBe('too_old');
    expect(nonces.size).toBe(3);
    const later = NOW + 2 * WINDOW_MS;
    expect(nonces.take('d', 'n', later, later)).toBe('fresh');
    expect(nonces.size).toBe(1);
  });
});
