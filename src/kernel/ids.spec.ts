import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { identityKey, isModelKey, isNodeName, isWallet, nodeIdOf, randomId } from './index.js';

const wallet = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const name = fc.option(fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/));
const model = fc.string({ minLength: 1, maxLength: 20 });
const shard = fc.option(fc.record({ start: fc.nat(99), end: fc.nat(99) }));

describe('isWallet', () => {
  it.each(['w', 'A-Z_a-z-0-9', 'x'.repeat(64), '__proto__', '-'])('takes %s', (value) => {
    expect(isWallet(value)).toBe(true);
  });

  it.each(['', 'x'.repeat(65), 'a.b', 'a:b', 'a b', 'a\n', 'ä', 7, null, undefined, ['w'], { w: 1 }])(
    'refuses %j',
    (value) => {
      expect(isWallet(value)).toBe(false);
    },
  );
});

describe('isNodeName', () => {
  it.each(['gpu', 'rack.1_b-2', '.', 'x'.repeat(128), '__proto__'])('takes %s', (value) => {
    expect(isNodeName(value)).toBe(true);
  });

  it.each(['', 'x'.repeat(129), 'a:b', 'a/b', 'a b', 'gpu\n', 7, null, undefined])('refuses %j', (value) => {
    expect(isNodeName(value)).toBe(false);
  });
});

describe('isModelKey', () => {
  it.each([
    'Qwen/Qwen3.6-35B-A3B',
    'llama3:8b',
    '千问 模型',
    'a|b->c[0-1]',
    '__proto__',
    ' ',
    '😀',
    '😀'.repeat(256),
    'x'.repeat(256),
  ])('takes %s', (value) => {
    expect(isModelKey(value)).toBe(true);
  });

  it.each([
    '',
    'x'.repeat(257),
    '😀'.repeat(257),
    `${'😀'.repeat(256)}x`,
    'a\u0000',
    'a\nb',
    'a\u007f',
    'a\u0085',
    '\ud83d',
    'a\udc00b',
    7,
    null,
    undefined,
    ['llama'],
  ])('refuses %j', (value) => {
    expect(isModelKey(value)).toBe(false);
  });
});

describe('nodeIdOf', () => {
  it('names owner and shard', () => {
    expect(nodeIdOf('w', null, { start: 0, end: 21 })).toBe('w:0-21');
    expect(nodeIdOf('w', 'gpu.1', { start: 22, end: 39 })).toBe('w.gpu.1:22-39');
    expect(nodeIdOf('w', 'gpu', null)).toBe('w.gpu:all');
  });

  it('never gives two owners or two shards one id', () => {
    const whose = fc.tuple(wallet, name, shard);
    fc.assert(
      fc.property(whose, whose, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(nodeIdOf(...a)).not.toBe(nodeIdOf(...b));
      }),
    );
  });
});

describe('identityKey', () => {
  it('never gives two identities one key', () => {
    const whose = fc.tuple(wallet, name, model);
    fc.assert(
      fc.property(whose, whose, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(identityKey(...a)).not.toBe(identityKey(...b));
      }),
    );
  });

  it('keeps a dotted name apart from a wallet, and a colon in the model apart from both', () => {
    expect(identityKey('a', 'b.c', 'm')).not.toBe(identityKey('a', 'b', 'c:m'));
    expect(identityKey('a', null, 'b:m')).not.toBe(identityKey('a', 'b', 'm'));
  });
});

describe('randomId', () => {
  it('does not repeat itself', () => {
    expect(new Set(Array.from({ length: 1000 }, randomId)).size).toBe(1000);
  });
});
