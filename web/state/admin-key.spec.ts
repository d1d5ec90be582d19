import { beforeEach, describe, expect, it } from '@jest/globals';

/** Of a page that can be seen, with this in its tab's storage. */
const kept = new Map<string, string>();
Object.assign(globalThis, {
  document: { hidden: false, addEventListener: () => undefined },
  sessionStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  },
});
const { adminKey, forgetKey, keepKey, keyFault, keyHeaders, keyNeed, keyRefused, mayAsk } =
  await import('./admin-key.js');

describe('the admin key of a tab', () => {
  beforeEach(() => {
    keepKey('k1');
  });

  it('is not asked for before the tracker says so', () => {
    expect([keyNeed.value, mayAsk.value]).toEqual([null, true]);
  });

  it('is kept in the tab, and sent', () => {
    expect(adminKey.value).toBe('k1');
    expect([...kept.values()]).toEqual(['k1']);
    expect(keyHeaders('k1')).toEqual({ authorization: 'Bearer k1' });
    expect(keyHeaders(null)).toEqual({});
  });

  it('is dropped once it is refused, and nothing is asked until there is another', () => {
    keyRefused('k1');
    expect([adminKey.value, keyNeed.value, mayAsk.value, kept.size]).toEqual([null, 'wrong', false, 0]);
    keepKey('k2');
    expect([adminKey.value, keyNeed.value, mayAsk.value]).toEqual(['k2', null, true]);
  });

  it('survives the late refusal of an earlier one', () => {
    keepKey('k2');
    keyRefused('k1');
    keyRefused(null);
    expect([adminKey.value, keyNeed.value]).toEqual(['k2', null]);
  });

  it('stays told wrong when answers to requests without any come after', () => {
    keyRefused('k1');
    keyRefused(null);
    expect(keyNeed.value).toBe('wrong');
  });

  it('is forgotten when asked to', () => {
    forgetKey();
    expect([adminKey.value, keyNeed.value, kept.size]).toEqual([null, 'missing', 0]);
  });

  it.each([
    ['', 'Enter the key.'],
    ['two words', 'A key has no spaces and only plain letters, digits and signs.'],
    ['schlüssel', 'A key has no spaces and only plain letters, digits and signs.'],
    ['mesh_0-9.~', null],
  ])('can be sent or not: %j', (text, fault) => {
    expect(keyFault(text)).toBe(fault);
  });
});
