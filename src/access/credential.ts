import type { IncomingMessage } from 'node:http';

/** Longer ones are no key of ours, and not worth a digest. */
const MOST_CHARACTERS = 1024;
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const BASIC = /^basic +([a-z0-9+/=]+) *$/i;

/** What a request shows to be let in: a secret, `none`, or `unreadable`. */
export type Shown =
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'none' | 'unreadable' };

const NONE: Shown = { kind: 'none' };
const UNREADABLE: Shown = { kind: 'unreadable' };

/** @param takesPassword whether a password counts as a key, whatever the user's name */
export function shownBy(
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  takesPassword: boolean,
): Shown {
  const { authorization } = headers;
  if (authorization === undefined) return NONE;
  // node:http keeps the first of several; whoever stands in between may have looked at another.
  if (authorization.length > MOST_CHARACTERS || isRepeated(rawHeaders)) return UNREADABLE;
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return { kind: 'secret', secret: bearer };
  const basic = takesPassword ? BASIC.exec(authorization)?.[1] : undefined;
  if (basic === undefined) return UNREADABLE;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  return password === undefined ? UNREADABLE : { kind: 'secret', secret: password };
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'authorization').length > 1;
}
