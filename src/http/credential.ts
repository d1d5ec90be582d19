import type { Asked } from './lane.js';

/** Longer ones are no key of ours, and not worth a digest. */
const MOST_CHARACTERS = 1024;
/** What is decoded and has more parts or words than these can't be looked through, and is not passed on. */
const MOST_PARTS = 8;
const MOST_WORDS = 8;
const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const PLAIN = /^(bearer|basic) +[a-z0-9._~+/-]+=* *$/i;
const BASIC = /^basic +([a-z0-9+/=]+) *$/i;

type Headers = Pick<Asked, 'headers' | 'rawHeaders'>;

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
 * base64 in either alphabet; of what is decoded, whatever stands between two colons, and each word.
 */
export function secretsIn({ headers: { authorization = '' } }: Headers): readonly string[] {
  const [, token] = /^[\w-]+ +([\x21-\x7e]+) *$/.exec(authorization) ?? [];
  if (token === undefined) return [];
  const decoded = Buffer.from(token, 'base64').toString();
  const pieces = decoded.split(/[^!-~]+|["';,]+/, MOST_WORDS);
  const words = decoded.split(/[^\w.~+-]+/, MOST_WORDS * MOST_PARTS);
  return [
    ...new Set([
      token,
      token.replace(/=+$/, ''),
      ...betweenColons(decoded),
      ...pieces.flatMap(betweenColons),
      ...words,
    ]),
  ];
}

function betweenColons(text: string): string[] {
  const parts = text.split(':', MOST_PARTS);
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_part, more) =>
      parts
        .slice(from, from + more + 1)
        .join(':')
        .replace(/^[^!-~]+|[^!-~]+$/g, ''),
    ),
  );
}

/**
 * A request's Authorization, where it is one credential of a known kind (RFC 6750, 7617) to whoever reads it, so that
 * {@link secretsIn} misses none that it holds; else null.
 */
export function credentialOf({ headers: { authorization }, rawHeaders }: Headers): string | null {
  if (authorization === undefined || isRepeated(rawHeaders)) return null;
  return PLAIN.test(authorization) && isSearchable(authorization) ? authorization : null;
}

function isSearchable(authorization: string): boolean {
  const [, token = ''] = authorization.split(/ +/);
  const decoded = Buffer.from(token, 'base64').toString();
  // What is no text when it is decoded was never encoded: a token of any other kind.
  if (/[^\s!-~]/.test(decoded)) return !/^basic/i.test(authorization) || countOf(decoded, /:/g) < MOST_PARTS;
  return countOf(decoded, /:/g) < MOST_PARTS && countOf(decoded, /[^!-~]+|["'=;,]+/g) < MOST_WORDS;
}

function countOf(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0;
}

/** The user and the password; where nothing parts them, all of it. */
function partsOf(basic: string): string[] {
  const text = Buffer.from(basic, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** node:http keeps the first of several; whoever stands in between may look at another. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) times += 1;
  }
  return times > 1;
}
