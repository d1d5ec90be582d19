/**
 * Headers that hold a key of the client, or say who it is and where it comes from, whatever its servers, gateways and proxies
 * call them. They are told by how they are named, since there is no list of all; what is meant for a model or for routing to one
 * has other names.
 */
const SIGNS: readonly RegExp[] = [
  // x-api-key, x-goog-api-key, ocp-apim-subscription-key, x-api-key-id; but neither idempotency-key nor x-prompt-cache-key.
  /(?<!(idempoten(cy|t)|routing|cache|affinity|sticky|partition|session|dedup|request|shard|hash|tenant|conversation|block|mon|hot|tur|whis)[-_]?)keys?([-_]?(id|hash|v?\d))?$/,
  // x-auth-token, x-amzn-oidc-accesstoken; but x-stop-token.
  /(?<!(max|min|per|stop|eos|bos|pad|mm|first|draft|page|routing|continuation)[-_])token([-_](id|value))?$/,
  /(^|[-_])(auth|authorization|authentication|auxiliary|bearer|credentials?|secrets?|secret-id|passwd|password|passphrase|otp|jwt|dpop|assertion|signature(-\d+|-input)?|hmac|ticket|vk|auth-data|cookies?2?|login|claims)$/,
  /(^|[-_])(oidc|jwt)[-_]|(^|[-_])(client-)?principal([-_]|$)/,
  /^(x-)?pass$/,
  // Certificates that a proxy has checked, and what it says of them.
  /(^|[-_])(\w*client)?cert(ificate)?([-_]|$)|(^|[-_])(ssl|tls)[-_]client|[-_]dn$/,
  // x-real-ip, cf-connecting-ip, x-azure-clientip, remote-addr, x-envoy-external-address, fastly-temp-xff; but x-target-ip.
  /(?<!(target|backend|server|upstream|node|model|worker|pod|replica|gateway|peer|engine|prefill|decode))(^|[-_])(client|socket|user)?(ip|ipv4|ipv6|ipaddress|addr|address|xff|edgescape)$/,
  /forwarded|forward-for|proxied-for|^x-client-(host|geo-location)$|peer-metadata/,
  // Who a proxy has found it to be: x-auth-request-email, remote-user, x-goog-authenticated-user-id, x-openwebui-user-role.
  // x-user-id alone is what some routers tell sessions by.
  /(^|[-_])(user|userid|username|e?mail|msisdn|userinfo)$|^(?!x-user-id$).*(^|[-_])user[-_](id|name|email|roles?|groups|identity|login|uuid|sub|info|claims|metadata)$/,
  /^(x-)?(auth|auth-request|webauth|authentik|pomerium|consumer|authenticated|vouch|appengine|okta)-|^(x-)?remote-(user|host|name|email|groups)/,
  /^(tailscale|cf-access|cf-ip|cf-ja3|cf-ja4|cloudfront-viewer|x-vercel-(ip|sc|proxy))-?/,
  /^(chatgpt-account-id|end-user-id|from|http-referer|x-original-ur[il]|x-portkey-config)$/,
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
