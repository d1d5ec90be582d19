import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Stage, type StagedTracker } from '../support/stage.js';

const stage = new Stage();
let tracker: StagedTracker;
beforeAll(async () => {
  tracker = await stage.tracker();
});
afterAll(() => stage.end());

/** What a page loads, as it names it. */
function loadedBy(page: string): string[] {
  return [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)=["']([^"']+)/g)].map(([, url]) => String(url));
}

describe('GET /docs', () => {
  it.each(['/docs', '/docs/'])('loads whatever it needs from the tracker itself: %s', async (path) => {
    const { text } = await tracker.api.get(path);
    const urls = loadedBy(text).map((url) => new URL(url, tracker.url + path));
    expect(urls.length).toBeGreaterThan(4);
    for (const url of urls) {
      expect(url.origin).toBe(tracker.url);
      expect((await tracker.api.get(url.pathname)).status).toBe(200);
    }
    expect(text).toContain('<title>Meshnet tracker ');
  });

  it('shows the document of this tracker, and asks nobody whether it is valid', async () => {
    const { text } = await tracker.api.get('/docs/swagger-ui-init.js');
    expect(text).toContain('"url": "/openapi.json"');
    expect(text).toContain('"validatorUrl": null');
  });

  it('lets scripts of its own run, and no others', async () => {
    const { headers } = await tracker.api.get('/docs');
    const policy = String(headers['content-security-policy']).split(';');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('gives away nothing else of what Swagger UI is delivered with', async () => {
    for (const file of ['package.json', 'swagger-ui.js.map', 'index.html', '..%2Fpackage.json', 'a/b']) {
      expect((await tracker.api.get(`/docs/${file}`)).status).toBe(404);
    }
  });
});

describe('any other answer', () => {
  it.each(['/v1/models', '/openapi.json', '/nowhere', '/v1/nodes?model=a&model=b'])(
    'can be made no page of: %s',
    async (path) => {
      const { headers } = await tracker.api.get(path);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
    },
  );
});
