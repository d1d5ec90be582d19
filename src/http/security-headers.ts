import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** What is answered past Express is no page either, whatever it looks like. */
export const NO_SNIFF = { 'x-content-type-options': 'nosniff' };

const NOTHING = ["'none'"];

/**
 * For answers that no browser should make a page of. Whether to insist on https is the operator's business, and the
 * rest of what helmet would send does nothing over plain HTTP.
 */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: NOTHING, frameAncestors: NOTHING },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: { action: 'deny' },
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Of a page: nothing but what is named here may be loaded, and nobody may frame it. */
export function pagePolicy(sources: Readonly<Record<string, readonly string[]>>): RequestHandler {
  const directives = {
    defaultSrc: NOTHING,
    baseUri: NOTHING,
    formAction: NOTHING,
    frameAncestors: NOTHING,
    ...sources,
  };
  return helmet.contentSecurityPolicy({ useDefaults: false, directives });
}
