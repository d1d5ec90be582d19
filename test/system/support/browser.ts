import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What runs in the page is text: the tests know no DOM. */
const HIDE = `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => IS_HIDDEN });
  document.dispatchEvent(new Event('visibilitychange'));
`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const TELL_VIOLATIONS = `
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    tellViolation(violatedDirective + ' ' + blockedURI);
  });
`;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: unknown }[];
}

/** @throws Error naming the package, where there is no browser: a test that nobody ran has not passed */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install chromium`);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Builds the page into a folder of its own, which is the caller's to remove. */
export async function builtPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'meshnet-page-'));
  const script = pathToFileURL(resolve('scripts/build-dashboard.mjs')).href;
  const { buildDashboard } = (await import(script)) as { buildDashboard: (folder: string) => Promise<void> };
  await buildDashboard(folder);
  return folder;
}

/** A tab of a tracker's dashboard, and what went wrong in it. */
export class DashboardPage {
  /** Script errors, violations of the page's policy, and whatever was asked of anybody but the tracker. */
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  static async open(
    browser: Browser,
    trackerUrl: string,
    { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
  ): Promise<DashboardPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const opened = new DashboardPage(await context.newPage(), trackerUrl);
    await opened.watchFaults();
    await opened.goto(hash);
    return opened;
  }

  async goto(hash: string): Promise<void> {
    await this.page.goto(`${this.url}/dashboard${hash}`);
    await this.page.locator('main').waitFor();
  }

  /** Resolves once nothing on the page waits for its first answer. */
  async filled(): Promise<void> {
    await this.page.locator('.live[data-state="live"]').waitFor();
    await this.page.getByText('Asking the tracker').waitFor({ state: 'detached' });
  }

  /** The next answer of the tracker to this path, as the page got it. */
  async nextAnswer<T>(path: string): Promise<T> {
    const answer = await this.page.waitForResponse((seen) => new URL(seen.url()).pathname === path);
    return (await answer.json()) as T;
  }

  /** As if the tab had gone to the back, or had come to the front again. */
  async setHidden(hidden: boolean): Promise<void> {
    await this.page.evaluate(HIDE.replace('IS_HIDDEN', String(hidden)));
  }

  /** Serious and critical findings of axe, a line each. */
  async accessibilityFaults(): Promise<string[]> {
    // By the debugger's way in, which the page's policy doesn't govern.
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate<Finding[]>('axe.run().then((found) => found.violations)');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => String(target)).join(' | ')}`,
      );
  }

  /** By how much the page is wider than its window. */
  async sidewaysOverflow(): Promise<number> {
    return this.page.evaluate<number>(OVERFLOW);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  private async watchFaults(): Promise<void> {
    const { page, faults, url } = this;
    page.on('pageerror', (fault) => faults.push(`script: ${fault.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) faults.push(`asked elsewhere: ${request.url()}`);
    });
    await page.exposeFunction('tellViolation', (text: string) => faults.push(`policy: ${text}`));
    await page.addInitScript(TELL_VIOLATIONS);
  }
}
