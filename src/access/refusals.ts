import { errorBody, type CallerRole, type Refusal } from '../http/index.js';

/** OpenAI's own word for it: its clients raise their AuthenticationError. */
const BEARER = { 'www-authenticate': 'Bearer realm="meshnet"' };
/** A browser asks its user for a password. */
const BASIC = { 'www-authenticate': 'Basic realm="meshnet", charset="UTF-8"' };

const KEY_NAMES: Readonly<Record<CallerRole, string>> = {
  client: 'an API key',
  node: 'a node token',
  admin: 'an admin key',
};

function refusal(status: number, message: string, code: string, headers = {}): Refusal {
  return { status, headers, body: errorBody(status, message, null, code) };
}

export function missingKey(needed: CallerRole, takesPassword: boolean): Refusal {
  const how = takesPassword
    ? 'as `Authorization: Bearer <key>`, or as the password of a user of any name'
    : 'as `Authorization: Bearer <key>`';
  const headers = takesPassword ? BASIC : BEARER;
  return refusal(401, `Send ${KEY_NAMES[needed]} of this tracker ${how}.`, 'missing_api_key', headers);
}

export function invalidKey(needed: CallerRole, takesPassword: boolean): Refusal {
  const message = `This is not ${KEY_NAMES[needed]} of this tracker. It may have been revoked: ask its operator.`;
  return refusal(401, message, 'invalid_api_key', takesPassword ? BASIC : BEARER);
}

/** Whoever is told this has a valid key, of another role. */
export function wrongRole(has: CallerRole, needed: CallerRole): Refusal {
  const message = `This needs ${KEY_NAMES[needed]}; what was sent is ${KEY_NAMES[has]}.`;
  return refusal(403, message, 'wrong_key_role');
}

/** What a named page may send: anything that OpenAI's clients in browsers do. */
export const PREFLIGHT: Refusal = {
  status: 204,
  headers: {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': '*, authorization',
    'access-control-max-age': '600',
  },
  body: null,
};

export function crossSite(): Refusal {
  const message =
    'A page of another site may not do this. Its origin has to be listed in MESHNET_CORS_ORIGINS, or the tracker has to ask for keys.';
  return refusal(403, message, 'cross_site');
}

export function hostNotAllowed(): Refusal {
  const message =
    'This tracker is open to its own machine and is not called by this name. List the name in MESHNET_ALLOWED_HOSTS, or set keys.';
  return refusal(403, message, 'host_not_allowed');
}

/** Nobody has a key of this role, and others than this machine reach the tracker. */
export function closed(needed: CallerRole): Refusal {
  if (needed === 'node') {
    const message =
      'This tracker takes no registrations: its operator has set no MESHNET_NODE_TOKENS. Servers in its nodes file work.';
    return refusal(403, message, 'registration_closed');
  }
  const message =
    needed === 'admin'
      ? 'Nobody can look at this tracker: its operator has set no MESHNET_ADMIN_KEYS.'
      : 'Nobody can chat here: the operator of this tracker has set no MESHNET_API_KEYS.';
  return refusal(401, message, 'missing_api_key', BEARER);
}
