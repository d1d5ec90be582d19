import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyLayers, decode, embed } from './layer-codec.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const token = fc.string({ unit: 'grapheme', maxLength: 40 });
const depth = fc.integer({ min: 1, max: 48 });

/** Runs the layers one by one, in the order given. */
function run(text: string, numLayers: number, order: readonly number[]): string {
  let state = embed(text, MODEL, numLayers);
  for (const layer of order) state = applyLayers(state, MODEL, { start: layer, end: layer });
  return decode(state);
}

const ordered = (numLayers: number) => Array.from({ length: numLayers }, (_, layer) => layer);

describe('the layers of the reference node', () => {
  it('read well when the whole chain ran in order, wherever it is cut into hops', () => {
    fc.assert(
      fc.property(token, depth, fc.array(fc.nat(), { maxLength: 6 }), (text, numLayers, seeds) => {
        const starts = [...new Set([0, ...seeds.map((seed) => seed % numLayers)])].sort((a, b) => a - b);
        let state = embed(text, MODEL, numLayers);
        starts.forEach((start, i) => {
          state = applyLayers(state, MODEL, { start, end: (starts[i + 1] ?? numLayers) - 1 });
        });
        expect(decode(state)).toBe(text);
      }),
    );
  });

  it('show a skipped layer', () => {
    fc.assert(
      fc.property(token, depth, fc.nat(), (text, numLayers, seed) => {
        const order = ordered(numLayers);
        order.splice(seed % numLayers, 1);
        expect(run(text, numLayers, order)).not.toBe(text);
      }),
    );
  });

  it('show a repeated layer', () => {
    fc.assert(
      fc.property(token, depth, fc.nat(), fc.nat(), (text, numLayers, which, where) => {
        const order = ordered(numLayers);
        order.splice(where % (numLayers + 1), 0, which % numLayers);
        expect(run(text, numLayers, order)).not.toBe(text);
      }),
    );
  });

  it('show two layers that changed places', () => {
    fc.assert(
      fc.property(token, fc.integer({ min: 2, max: 48 }), fc.nat(), fc.nat(), (text, numLayers, a, b) => {
        const [first, second] = [a % numLayers, b % numLayers];
        fc.pre(first !== second);
        const order = ordered(numLayers);
        order[first] = second;
        order[second] = first;
        expect(run(text, numLayers, order)).not.toBe(text);
      }),
    );
  });

  it('show a hop that starts at 0 after layers 0 to 21 already ran', () => {
    const state = applyLayers(embed(' route', MODEL, 40), MODEL, { start: 0, end: 21 });
    expect(decode(applyLayers(state, MODEL, { start: 22, end: 39 }))).toBe(' route');
    expect(decode(applyLayers(state, MODEL, { start: 0, end: 39 }))).toContain('\ufffd');
  });

  it("show another model's layers", () => {
    expect(decode(applyLayers(embed(' route', MODEL, 8), 'other', { start: 0, end: 7 }))).not.toBe(' route');
  });

  it('leave the state they were given as it is', () => {
    const state = embed(' hop', MODEL, 4);
    const before = Buffer.from(state);
    applyLayers(state, MODEL, { start: 0, end: 3 });
    expect(state.equals(before)).toBe(true);
  });

  it('decode any bytes at all without a fault, and garbage visibly', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        fc.pre(bytes.slice(-8).some((byte) => byte !== 0));
        // eslint-disable-next-line no-control-regex -- control characters are what must not come out
        expect(decode(bytes)).toMatch(/^[^\u0000-\u0020]+$/);
      }),
    );
    expect(decode(new Uint8Array())).toBe('');
  });

  it('refuse a token whose length cannot be told', () => {
    expect(() => embed('x'.repeat(65_536), MODEL, 1)).toThrow(RangeError);
  });
});
