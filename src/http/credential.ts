import type { IncomingMessage } from 'node:http';

/** Longer ones are no key of ours, and not worth a digest. */
const MOST_CHARACTERS = 1024;
/** No key of ours has so many colons that this leaves one out: what has more is not passed on. */
const MOST_PARTS = 32;
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const PLAIN = /^(bearer|basic) +[a-z0-9._~+/-]+=* *$/i;
const BASIC = /^basic +([a-z0-9+/=]+) *$/i;

type Headers = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** What a request shows to be let in: a secret, `none`, or `unreadable`. */
export type Shown =
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'none' | 'unreadable' };

const NONE: Shown = { kind: 'none' };
const UNREADABLE: Shown = { kind: 'unreadable' };

/** @param takesPassword whether a password counts as a key, whatever the user's name */
export function shownBy(request: Headers, takesPassword: boolean): Shown {
  const { authorization } = request.headers;
  if (authorization === undefined) return NONE;
  if (authorization.length > MOST_CHARACTERS || isRepeated(request.rawHeaders)) return UNREADABLE;
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return { kind: 'secret', secret: bearer };
  const basic = takesPassword ? BASIC.exec(authorization)?.[1] : undefined;
  const password = basic === undefined ? undefined : partsOf(basic)[1];
  return password === undefined ? UNREADABLE : { kind: 'secret', secret: password };
}

/**
 * All in a request's Authorization that may be a secret of ours: the token of whichever scheme, as it was sent and decoded from
 * base64 in either alphabet, and of what is decoded each part between colons.
 */
export function secretsIn({ headers: { authorization = '' } }: Headers): readonly string[] {
  const [, token] = /^[\w-]+ +([\x21-\x7e]+) *$/.exec(authorization) ?? [];
  if (token === undefined || token.length > MOST_CHARACTERS) return [];
  const decoded = Buffer.from(token, 'base64').toString().trim();
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(decoded) ?? [];
  const parts = decoded.split(':', MOST_PARTS).map((part) => part.trim());
  return [...new Set([token, token.replace(/=+$/, ''), decoded, password.trim(), ...parts])];
}

/**
 * A request's Authorization, where it is one credential of a known kind (RFC 6750, 7617) to whoever reads it, so that
 * {@link secretsIn} misses none that it holds; else null.
 */
export function credentialOf({ headers: { authorization }, rawHeaders }: Headers): string | null {
  if (authorization === undefined || isRepeated(rawHeaders)) return null;
  return PLAIN.test(authorization) && colonsIn(authorization) < MOST_PARTS ? authorization : null;
}

function colonsIn(authorization: string): number {
  const [, token = ''] = authorization.split(/ +/);
  return Buffer.from(token, 'base64').toString().split(':').length - 1;
}

/** The user and the password; where nothing parts them, all of it. */
function partsOf(basic: string): string[] {
  const text = Buffer.from(basic, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** node:http keeps the first of several; whoever stands in between may look at another. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'authorization').length > 1;
}
