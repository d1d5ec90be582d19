import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, type ErrorBody } from '../../test/support/http-client.js';
import { exchange } from '../../test/support/raw-client.js';
import { Stage, type StagedTracker } from '../../test/support/stage.js';

const PAGE = '<!doctype html><title>page</title>';
const SCRIPT = 'console.log("page")';

const stage = new Stage();
afterEach(() => stage.end());

/** A folder as the build leaves it, with something beside it that is nobody's business. */
function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  stage.atEnd(() => rmSync(folder, { recursive: true }));
  const page = join(folder, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(page, 'index.html'), PAGE);
  writeFileSync(join(page, 'assets', 'main-ABC.js'), SCRIPT);
  writeFileSync(join(page, 'assets', 'main-ABC.css'), 'body{}');
  writeFileSync(join(page, 'assets', 'icon-1.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return page;
}

function tracker(dashboardFolder = builtPage()): Promise<StagedTracker> {
  return stage.tracker({ parts: { dashboardFolder } });
}

/** The path as it stands here: a URL parser would take dots and slashes out of it. */
async function ask(
  port: number,
  path: string,
): Promise<{ status: number | null; error: ErrorBody['error'] }> {
  const request = `GET ${path} HTTP/1.1\r\nhost: tracker\r\nconnection: close\r\n\r\n`;
  const { status, body } = await exchange(port, [Buffer.from(request)]);
  return { status, error: (JSON.parse(body.toString()) as ErrorBody).error };
}

describe('the dashboard', () => {
  it('is a page that browsers ask for anew each time', async () => {
    const { api } = await tracker();
    const { status, headers, text } = await api.get('/dashboard');
    expect([status, text]).toEqual([200, PAGE]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
  });

  it('allows the page nothing but what the tracker itself serves', async () => {
    const { api } = await tracker();
    const { headers } = await api.get('/dashboard');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self'",
    );
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it('has a policy of its own: that of answers which are no page allows nothing', async () => {
    const { api } = await tracker();
    const { headers } = await api.get('/v1/nodes');
    expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
  });

  it.each([
    ['main-ABC.js', 'text/javascript; charset=utf-8', SCRIPT],
    ['main-ABC.css', 'text/css; charset=utf-8', 'body{}'],
    ['icon-1.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ])('serves %s with its type, to be kept for ever', async (name, type, content) => {
    const { api } = await tracker();
    const { status, headers, text } = await api.get(`/dashboard/assets/${name}`);
    expect([status, text]).toEqual([200, content]);
    expect(headers['content-type']).toBe(type);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('is where the bare address leads, and the address with a slash too many', async () => {
    const { api } = await tracker();
    for (const [path, status, location] of [
      ['/', 302, 'dashboard'],
      ['/dashboard/', 308, '../dashboard'],
    ] as const) {
      const reply = await api.get(path);
      expect([reply.status, reply.headers.location]).toEqual([status, location]);
      const target = new URL(location, api.url + path);
      expect(target.pathname).toBe('/dashboard');
    }
  });

  it.each([
    '/dashboard/assets/other.js',
    '/dashboard/assets/index.html',
    '/dashboard/assets/constructor',
    '/dashboard/assets/../index.html',
    '/dashboard/assets/..%2f..%2fsecret.txt',
    '/dashboard/assets/%2e%2e/%2e%2e/secret.txt',
    '/dashboard/assets/..%5c..%5csecret.txt',
    '/dashboard/assets/%00',
    '/dashboard/assets/',
    '/dashboard/secret.txt',
  ])('has nothing at %s', async (path) => {
    const { port } = await tracker();
    const { status, error } = await ask(port, path);
    expect(status).toBe(404);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'not_found', param: null });
  });

  it('refuses a name that is not even text, without saying more', async () => {
    const { port } = await tracker();
    const { status, error } = await ask(port, '/dashboard/assets/%ff');
    expect(status).toBe(400);
    expect(error.type).toBe('invalid_request_error');
  });

  it('says how to build it where it was not built', async () => {
    const { api } = await tracker(join(builtPage(), 'not', 'there'));
    const page = await api.get('/dashboard');
    expect(page.status).toBe(404);
    expect(errorOf(page).message).toContain('npm run build');
    expect((await api.get('/dashboard/assets/main-ABC.js')).status).toBe(404);
    expect((await api.get('/v1/nodes')).status).toBe(200);
  });
});
