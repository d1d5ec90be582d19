import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { EventsService } from '../../src/calls/index.js';
import { eventually } from '../support/eventually.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { builtPage, DashboardPage, launchBrowser } from './support/browser.js';
import { KeyGate } from './support/key-gate.js';

const KEY = 'the-admin-key';

let dashboardFolder = '';
let browser: Browser;
let stage: Stage;
let tracker: StagedTracker;
let gate: KeyGate;
let url: string;
let opened: DashboardPage[];

beforeAll(async () => {
  dashboardFolder = await builtPage();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(dashboardFolder, { recursive: true, force: true });
});

beforeEach(async () => {
  stage = new Stage();
  opened = [];
  tracker = await stage.tracker({ parts: { dashboardFolder } });
  gate = new KeyGate(tracker.url, KEY);
  url = await gate.start();
  const mesh = stage.mesh(tracker.url);
  await mesh.add({ model: 'm', wallet: 'w', name: 'cpu', numLayers: 4, shard: { start: 0, end: 3 } });
});

afterEach(async () => {
  const faults = opened.flatMap((tab) => tab.faults);
  for (const tab of opened) await tab.close();
  await gate.end();
  await stage.end();
  expect(faults).toEqual([]);
});

async function open(options: Parameters<typeof DashboardPage.open>[2] = {}): Promise<DashboardPage> {
  const tab = await DashboardPage.open(browser, url, options);
  opened.push(tab);
  return tab;
}

function form({ page }: DashboardPage): Locator {
  return page.getByTestId('key-form');
}

async function enter(tab: DashboardPage, key: string): Promise<void> {
  await form(tab).getByLabel('Admin key').fill(key);
  await form(tab).getByRole('button').click();
}

const storedKeys = (tab: DashboardPage): Promise<string[]> =>
  tab.page.evaluate<string[]>(
    '[...Object.values(sessionStorage), ...Object.values(localStorage)].filter((text) => text.includes("key"))',
  );

describe('a dashboard whose tracker asks for a key', () => {
  it('asks for it, and opens with it', async () => {
    const tab = await open();
    await form(tab).waitFor();
    expect(await tab.page.locator('.live').innerText()).toBe('locked; a key is needed');
    expect(await tab.page.getByLabel('Admin key').getAttribute('type')).toBe('password');
    await enter(tab, ` ${KEY} `);
    await tab.filled();
    await tab.page.getByTestId('routing-learned').locator('[data-signature]').first().waitFor();
    expect(await form(tab).count()).toBe(0);
  });

  it('says that a key is wrong, or can be none, and keeps neither', async () => {
    const tab = await open();
    await enter(tab, 'some-other-key');
    await form(tab).getByRole('alert').waitFor();
    expect(await form(tab).getByRole('alert').innerText()).toBe('The tracker does not know this key.');
    await enter(tab, 'two words');
    await eventually(async () => {
      expect(await form(tab).getByRole('alert').innerText()).toMatch(/no spaces/);
    });
    expect(await storedKeys(tab)).toEqual([]);
    await enter(tab, KEY);
    await tab.filled();
  });

  it('keeps it for the tab, over a reload, until it is forgotten; another tab is asked again', async () => {
    const tab = await open();
    await enter(tab, KEY);
    await tab.filled();
    await tab.page.reload();
    await tab.filled();
    expect(await storedKeys(tab)).toEqual([KEY]);
    expect(tab.page.url()).not.toContain(KEY);
    const other = await tab.page.context().newPage();
    await other.goto(`${url}/dashboard`);
    await other.getByTestId('key-form').waitFor();
    await other.close();
    await tab.page.getByRole('button', { name: 'Forget the key' }).click();
    await form(tab).waitFor();
    expect(await storedKeys(tab)).toEqual([]);
  });

  it('sends it with the event stream, and with what an operator does', async () => {
    const tab = await open({ hash: '#/calls' });
    await enter(tab, KEY);
    await eventually(() => {
      expect(tracker.app.get(EventsService).watcherCount).toBe(1);
    });
    await tab.goto('#/nodes');
    await tab.page.getByRole('button', { name: 'Drain' }).click();
    await eventually(async () => {
      expect((await tracker.api.nodes())[0]).toMatchObject({ status: 'draining' });
    });
    expect(gate.passed).toContain('/v1/events');
  });

  it('asks anew once the key is not taken any more, and leaves the tracker alone meanwhile', async () => {
    const tab = await open({ hash: '#/calls' });
    await enter(tab, KEY);
    await tab.filled();
    gate.key = 'a-newer-key';
    await form(tab).getByText('The tracker does not know this key.').waitFor();
    await eventually(() => {
      expect(tracker.app.get(EventsService).watcherCount).toBe(0);
    });
    const { clock } = tab.page;
    await clock.install();
    await tab.page.reload();
    await form(tab).waitFor();
    const before = gate.refused.length;
    await clock.runFor(60_000);
    expect(gate.refused.length).toBe(before);
    await enter(tab, 'a-newer-key');
    await tab.nextAnswer('/v1/routing');
  });

  it('asks so that everybody can read it: no serious fault of axe, and no sideways scrolling on a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await open({ colorScheme, viewport: { width: 360, height: 740 } });
      await enter(tab, 'wrong');
      await form(tab).getByRole('alert').waitFor();
      expect(await tab.accessibilityFaults()).toEqual([]);
      expect(await tab.sidewaysOverflow()).toBe(0);
      await enter(tab, KEY);
      await tab.filled();
      expect(await tab.accessibilityFaults()).toEqual([]);
      expect(await tab.sidewaysOverflow()).toBe(0);
    }
  });
});
