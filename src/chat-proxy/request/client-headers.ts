/**
 * Headers that hold a key of the client, or say who it is and where it comes from, whatever its servers, gateways and proxies
 * call them. They are told by how they are named, since there is no list of all; what is meant for a model has other names.
 */
const SIGNS: readonly RegExp[] = [
  // x-api-key, x-goog-api-key, ocp-apim-subscription-key, x-litellm-key, x-api-key-id; but idempotency-key.
  /(?<!idempotency[-_])keys?([-_]id)?$/,
  // x-auth-token, x-amzn-oidc-accesstoken.
  /token$/,
  /(^|[-_])(auth|authorization|authentication|auxiliary|bearer|credentials?|secret|pass|passwd|password|passphrase|otp|jwt|dpop|assertion|signature|auth-data)$/,
  /(^|[-_])(oidc|jwt|client-principal)[-_]/,
  // Certificates that a proxy has checked.
  /cert/,
  // x-real-ip, cf-connecting-ip, x-azure-clientip, remote-addr, x-envoy-external-address, fastly-temp-xff.
  /(^|[-_])(client|socket)?(ip|ipv4|ipv6|addr|address|xff|edgescape)$/,
  /forwarded|forward-for|proxied-for/,
  // Who a proxy has found it to be: x-auth-request-email, remote-user, x-goog-authenticated-user-id, x-openwebui-user-role.
  /(^|[-_])(user|userid|email|groups|userinfo)$/,
  /(^|[-_])user[-_](id|name|email|role|login)$/,
  /^(x-)?(auth-request|remote|webauth|authentik|pomerium|consumer|authenticated|vouch|appengine|portkey|langfuse)-/,
  /^(tailscale|cf-access|cf-ip|cf-ja3|cf-ja4|cloudfront-viewer|x-vercel)-?/,
  /^(x-client-geo-location|chatgpt-account-id|end-user-id|from|http-referer|x-original-ur[il])$/,
];

/** Clients send the same few names again and again. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 1000;

/** @param name in lower case */
export function tellsOfClient(name: string): boolean {
  let tells = known.get(name);
  if (tells === undefined) {
    tells = SIGNS.some((sign) => sign.test(name));
    if (known.size < MOST_KNOWN) known.set(name, tells);
  }
  return tells;
}
