import { describe, expect, it } from '@jest/globals';
import { tellsOfClient } from './client-headers.js';

const KEYS =
  'authorization proxy-authorization x-authorization x-forwarded-authorization x-ms-authorization-auxiliary authentication apikey api_key api-key x-api-key x-api-keys x-api-key-id x-goog-api-key openai-api-key anthropic-api-key openai-ephemeral-key x-litellm-api-key x-litellm-key ocp-apim-subscription-key x-functions-key aeg-sas-key x-portkey-virtual-key x-portkey-config x-langfuse-public-key x-rapidapi-key x-master-key fastly-key x-auth-key x-secrets x-secret-id x-api-key2 x-api-keyid x-bf-vk x-session-cookie x-hub-signature-256 x-hmac x-token-value openai-api-key-v2 x-cookies x-login x-claims secret-key key x-key x-auth-token x-access-token x-amz-security-token x-amzn-oidc-data x-amzn-oidc-accesstoken authtoken x-csrf-token x-vouch-idp-idtoken x-client-secret x-jwt-assertion x-jwt-payload x-auth bearer x-pass passwd passphrase x-otp dpop signature x-amz-signature x-vercel-proxy-signature akamai-g2o-auth-data';
const CERTIFICATES =
  'x-ssl-client-s-dn ssl-client-verify x-client-dn x-client-cert client-cert-chain ssl-client-cert x-amzn-mtls-clientcert-leaf x-arr-clientcert cf-client-cert-subject-dn';
const ADDRESSES =
  'forwarded x-forwarded x-forwarded-for x-forwarded-host x-original-forwarded-for forwarded-for x-forward-for x-vercel-proxied-for x-real-ip client-ip clientip x-clientip true-client-ip x-client-ip x-cluster-client-ip x-remote-ip x-remote-addr remote-addr x-source-ip x-originating-ip x-envoy-external-address cf-connecting-ip cf-connecting-ipv6 cf-pseudo-ipv4 x-azure-clientip x-azure-socketip fly-client-ip do-connecting-ip cloudfront-viewer-address fastly-temp-xff x-akamai-edgescape l5d-remote-ip x-appengine-user-ip';
const PEOPLE =
  'remote-user x-remote-user x-auth-request-email x-auth-request-preferred-username x-webauth-user x-authentik-groups x-pomerium-claim-email x-consumer-username x-authenticated-userid tailscale-user-login cf-access-authenticated-user-email x-goog-authenticated-user-id x-ms-client-principal x-ms-client-principal-name x-username x-auth-username x-auth-roles x-okta-username x-user-roles x-principal x-envoy-peer-metadata-id x-userip x-openwebui-user-name x-openwebui-user-role x-litellm-end-user-id helicone-user-id chatgpt-account-id x-user-email from http-referer x-endpoint-api-userinfo cf-ipcountry cf-ja3-hash cloudfront-viewer-country x-original-url';
const MEANT_FOR_MODELS =
  'accept accept-language user-agent openai-beta openai-organization openai-project anthropic-version idempotency-key x-idempotency-key x-correlation-id x-session-id x-session-affinity x-user-id x-session-key x-routing-key x-prompt-cache-key x-affinity-key idempotencykey x-portkey-provider x-portkey-trace-id langfuse-trace-id x-vercel-id x-min-token x-routing-token x-tenant-key x-prefill-address x-pod-ip x-remote-engine-id x-certainty x-concert x-monkey x-stop-token x-node-groups x-target-ip x-backend-ip x-stainless-lang x-stainless-retry-count priority baggage b3 x-b3-traceid x-gateway-destination-endpoint x-max-tokens x-author x-custom x-team x-tenant x-routing-strategy x-model-name cache-control pragma dnt constructor __proto__';

describe('a header that tells of the client', () => {
  it.each([KEYS, CERTIFICATES, ADDRESSES, PEOPLE].flatMap((names) => names.split(' ')))('is %s', (name) => {
    expect(tellsOfClient(name)).toBe(true);
  });

  it.each(MEANT_FOR_MODELS.split(' '))('is not %s', (name) => {
    expect(tellsOfClient(name)).toBe(false);
  });

  it('is told all the same after more names than are remembered', () => {
    for (let n = 0; n < 3000; n += 1) tellsOfClient(`x-n${String(n)}`);
    expect([tellsOfClient('x-late-api-key'), tellsOfClient('x-late')]).toEqual([true, false]);
  });
});
