import { isChatPath, type CallerRole } from '../http/index.js';

/** Whose key a request needs; `anyone`: it shows nothing of the mesh and changes nothing. */
export type NeededRole = CallerRole | 'anyone';

const PUBLIC: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/', '/dashboard', '/dashboard/']);
const PAGE_FILES = '/dashboard/assets/';
const ALL_MODELS = '/v1/models';
const MODELS = '/v1/models/';
const LEASES = '/v1/leases/';

/**
 * By the path as it was sent. Express knows one path by several spellings (`/V1/Routing`, `/v1/routing/`): whatever is not
 * spelled as it stands here is an operator's, whether it exists or not.
 */
export function roleFor(method: string, path: string): NeededRole {
  if (isChatPath(path) || path === ALL_MODELS || path.startsWith(MODELS)) return 'client';
  if (method === 'POST' && (path === '/v1/nodes' || path === '/v1/nodes/')) return 'node';
  if ((method === 'PUT' || method === 'DELETE') && path.startsWith(LEASES)) return 'node';
  const isReading = method === 'GET' || method === 'HEAD';
  if (isReading && (PUBLIC.has(path) || path.startsWith(PAGE_FILES))) return 'anyone';
  return 'admin';
}

/** What a browser opens by its address, or a scraper reads, neither of which can be told to send a Bearer key everywhere. */
const BY_PASSWORD: ReadonlySet<string> = new Set(['/docs', '/openapi.json', '/metrics']);

/**
 * Nothing else: a browser sends a password again by itself, also for another site's form.
 */
export function takesPassword(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && (BY_PASSWORD.has(path) || path.startsWith('/docs/'));
}
