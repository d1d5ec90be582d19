import { beforeEach, describe, expect, it } from '@jest/globals';
import { ArmStore } from './arm-store.js';

const H = 600_000;
const DAY_MS = 24 * 3_600_000;
let store: ArmStore;
beforeEach(() => {
  store = new ArmStore(H);
});

function record(signature: string, { at = 0, isPinned = false, model = 'm', tps = 10 } = {}): void {
  store.record(model, signature, { tps, weight: 1, at, epoch: 1 }, isPinned);
}

function has(signature: string, model = 'm'): boolean {
  return store.get(model, signature) !== null;
}

describe('the store of arms', () => {
  it('keeps one arm for each model and signature', () => {
    record('s', { tps: 10 });
    record('s', { tps: 20 });
    record('s', { model: 'other', tps: 99 });
    expect(store.get('m', 's')).toMatchObject({ value: 15, count: 2 });
    expect(store.get('other', 's')).toMatchObject({ value: 99, count: 1 });
    expect(store.get('m', 'none')).toBeNull();
    expect(store.get('none', 's')).toBeNull();
  });

  it('drops arms without a sample for a day, and models without arms', () => {
    record('old', { at: 0 });
    record('young', { at: 1 });
    store.prune(DAY_MS);
    expect([has('old'), has('young')]).toEqual([false, true]);
    store.prune(2 * DAY_MS);
    expect(has('young')).toBe(false);
  });

  it('starts an arm anew that was due to be dropped, even before it was', () => {
    store = new ArmStore(1e6 * DAY_MS);
    record('s', { at: 0, tps: 10 });
    record('s', { at: DAY_MS, tps: 90 });
    expect(store.get('m', 's')).toMatchObject({ value: 90, mass: 1, count: 1 });
  });

  it('keeps 4,096 arms a model, the longest without a sample dropped first', () => {
    for (let at = 0; at < 4096; at += 1) record(`s${String(at)}`);
    record('s0');
    record('one more');
    expect([has('s0'), has('s1'), has('s2'), has('one more')]).toEqual([true, false, true, true]);
  });

  it('forgets a model with all its arms', () => {
    record('a');
    record('a', { model: 'other' });
    store.forget('m');
    expect([has('a'), has('a', 'other')]).toEqual([false, true]);
  });
});

describe('arms that only pins made', () => {
  it('are at most 512 a model, the longest without a sample dropped first', () => {
    for (let at = 0; at < 512; at += 1) record(`pin-${String(at)}`, { isPinned: true });
    record('pin-0', { isPinned: true });
    record('pin-512', { isPinned: true });
    expect([has('pin-0'), has('pin-1'), has('pin-2'), has('pin-512')]).toEqual([true, false, true, true]);
    const kept = Array.from({ length: 513 }, (_, at) => has(`pin-${String(at)}`)).filter(Boolean);
    expect(kept).toHaveLength(512);
  });

  it('are bounded for each model by itself', () => {
    for (let at = 0; at < 512; at += 1) record(`pin-${String(at)}`, { isPinned: true });
    record('pin', { isPinned: true, model: 'other' });
    expect([has('pin-0'), has('pin', 'other')]).toEqual([true, true]);
  });

  it('never push out an arm that the tracker itself chose once, pinned before or after', () => {
    record('chosen-first');
    record('chosen-first', { isPinned: true });
    record('pinned-first', { isPinned: true });
    record('pinned-first');
    for (let at = 0; at < 600; at += 1) record(`pin-${String(at)}`, { isPinned: true });
    expect([has('chosen-first'), has('pinned-first')]).toEqual([true, true]);
  });
});
