import { describe, expect, it } from '@jest/globals';
import { promptSize } from './prompt-size.js';

describe('the label of a prompt', () => {
  it.each([
    [0, '<256'],
    [255, '<256'],
    [256, '<1024'],
    [4095, '<4096'],
    [16_383, '<16384'],
    [65_535, '<65536'],
    [65_536, '>=65536'],
    [1_000_000, '>=65536'],
    [null, 'unknown'],
  ])('of %p tokens is %s', (tokens, label) => {
    expect(promptSize(tokens)).toBe(label);
  });
});
