import { describe, expect, it } from '@jest/globals';
import { credentialOf, secretsIn, shownBy } from './credential.js';

function shown(authorization?: string, takesPassword = false, rawHeaders: string[] = []) {
  return shownBy(
    { headers: authorization === undefined ? {} : { authorization }, rawHeaders },
    takesPassword,
  );
}

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

describe('what a request shows', () => {
  it.each(['Bearer secret', 'bearer secret', 'BEARER   secret', 'Bearer secret '])(
    'is the secret of %j',
    (text) => {
      expect(shown(text)).toEqual({ kind: 'secret', secret: 'secret' });
    },
  );

  it('is nothing without the header', () => {
    expect(shown()).toEqual({ kind: 'none' });
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearersecret',
    'Bearer a b',
    'Bearer sécret',
    'secret',
    'Token secret',
    `Bearer ${'x'.repeat(1024)}`,
  ])('can’t be read in %j', (text) => {
    expect(shown(text)).toEqual({ kind: 'unreadable' });
  });

  it('can’t be read where there are two, whichever way they are spelled', () => {
    expect(shown('Bearer a', false, ['Authorization', 'Bearer a', 'authorization', 'Bearer b'])).toEqual({
      kind: 'unreadable',
    });
    expect(shown('Bearer a', false, ['x', 'authorization', 'Authorization', 'Bearer a']).kind).toBe('secret');
  });

  it('is a password only where that is taken', () => {
    expect(shown(basic('anybody:secret:with:colons'), true)).toEqual({
      kind: 'secret',
      secret: 'secret:with:colons',
    });
    expect(shown(basic('anybody:secret'))).toEqual({ kind: 'unreadable' });
    expect(shown(basic('nocolon'), true)).toEqual({ kind: 'unreadable' });
    expect(shown('Basic !!!', true)).toEqual({ kind: 'unreadable' });
    expect(shown('Bearer secret', true).kind).toBe('secret');
  });
});

function request(...sent: string[]) {
  return {
    headers: sent[0] === undefined ? {} : { authorization: sent[0] },
    rawHeaders: sent.flatMap((text) => ['Authorization', text]),
  };
}

describe('what may be a secret', () => {
  const KEY = 'a-key_with-url.safe~characters';
  const encoded = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    `Bearer ${KEY}`,
    `bearer  ${KEY} `,
    `Basic ${KEY}`,
    `Token ${KEY}`,
    `Bearer ${KEY}==`,
    `Basic ${encoded(`user:${KEY}`)}`,
    `Basic ${encoded(`${KEY}:`)}`,
    `Basic ${encoded(`u:${KEY}\n`)}`,
    `Basic ${encoded(`u: ${KEY}`)}`,
    `Basic ${encoded(`u:${KEY}:x`)}`,
    `Basic ${encoded(`u:x:${KEY}`)}`,
    `Basic ${encoded(KEY)}`,
    `Basic ${Buffer.from(`ü>?:${KEY}`).toString('base64url')}`,
    `Bearer ${encoded(KEY)}`,
    `Bearer ${encoded(`u:${KEY}`)}`,
  ])('is found in %j', (text) => {
    expect(secretsIn(request(text))).toContain(KEY);
  });

  it('with colons in it is found too', () => {
    expect(secretsIn(request(basic('user:pass:word')))).toContain('pass:word');
  });

  it.each(['a:key:with:colons', 'a-key'])('is found behind and before much else: %s', (key) => {
    for (const text of [
      `${'u'.repeat(900)}:${key}`,
      `${key}:${'x'.repeat(900)}`,
      `${key}:`,
      `u:${key}:x`,
      `u:${key}\0`,
    ]) {
      expect(secretsIn(request(basic(text)))).toContain(key);
    }
  });

  it.each([
    `a=${KEY}`,
    `Bearer ${KEY}`,
    `u:"${KEY}"`,
    `u:${KEY} x`,
    `u;${KEY}`,
    `x ${KEY}:p`,
    `u:${KEY},x`,
    `(${KEY})`,
    `u/${KEY}`,
    `a=${KEY}&b=1`,
  ])('is found as a word in %j', (text) => {
    expect(secretsIn(request(basic(text)))).toContain(KEY);
  });

  it('is nothing where nothing is sent', () => {
    expect(secretsIn(request())).toEqual([]);
  });
});

describe('a credential', () => {
  it.each(['Bearer a', 'bearer  a.b-c_d~e+f/g==', basic('user:word'), `Bearer ${'x'.repeat(4000)}`])(
    'is %j',
    (text) => {
      expect(credentialOf(request(text))).toBe(text);
    },
  );

  it.each([
    '',
    'a',
    'Token a',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer "a"',
    'Basic !!',
    'Digest username="a"',
    basic('x:'.repeat(40)),
  ])('is not %j', (text) => {
    expect(credentialOf(request(text))).toBeNull();
  });

  it('is not one of two, nor none', () => {
    expect(credentialOf(request('Bearer a', 'Bearer b'))).toBeNull();
    expect(credentialOf(request())).toBeNull();
  });
});
