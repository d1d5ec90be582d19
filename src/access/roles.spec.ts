import { describe, expect, it } from '@jest/globals';
import { roleFor, takesPassword } from './roles.js';

describe('whose key a request needs', () => {
  it.each([
    ['POST', '/v1/chat/completions', 'client'],
    ['GET', '/v1/chat/completions', 'client'],
    ['POST', '/v1/chat/completions/', 'client'],
    ['POST', '/v1/completions', 'client'],
    ['GET', '/v1/models', 'client'],
    ['GET', '/v1/models/Qwen/Qwen3', 'client'],
    ['POST', '/v1/nodes', 'node'],
    ['PUT', '/v1/leases/x', 'node'],
    ['DELETE', '/v1/leases/x', 'node'],
    ['GET', '/healthz', 'anyone'],
    ['HEAD', '/readyz', 'anyone'],
    ['GET', '/dashboard', 'anyone'],
    ['GET', '/dashboard/assets/a.js', 'anyone'],
    ['GET', '/v1/nodes', 'admin'],
    ['POST', '/v1/nodes/w:all/drain', 'admin'],
    ['DELETE', '/v1/nodes/w:all', 'admin'],
    ['GET', '/v1/leases/x', 'admin'],
    ['POST', '/dashboard', 'admin'],
    ['GET', '/v1/routing', 'admin'],
    ['GET', '/metrics', 'admin'],
    ['GET', '/nowhere', 'admin'],
    ['OPTIONS', '/v1/routing', 'admin'],
  ])('%s %s: %s', (method, path, role) => {
    expect(roleFor(method, path)).toBe(role);
  });

  it.each([
    '/V1/Routing',
    '/v1/routing/',
    '//v1/routing',
    '/v1//routing',
    '/v1/%72outing',
    '/dashboard/../v1/routing',
    '/dashboard/assets',
    '/HEALTHZ',
    '/healthz/',
    'http://h/v1/routing',
    'http://h/healthz',
    '*',
    '',
    '/v1/Models',
    '/v1/models-of-others',
    '/v1/chat/completions//',
    '/V1/nodes',
  ])('is an operator’s where the path is spelled %s', (path) => {
    expect(roleFor('GET', path)).toBe('admin');
  });

  it('may be a password where a browser or a scraper reads, and nowhere else', () => {
    for (const path of ['/docs', '/docs/page.js', '/openapi.json', '/metrics']) {
      expect(takesPassword('GET', path)).toBe(true);
      expect(takesPassword('POST', path)).toBe(false);
    }
    expect(takesPassword('GET', '/v1/routing')).toBe(false);
    expect(takesPassword('GET', '/documents')).toBe(false);
  });
});
