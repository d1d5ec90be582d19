import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { EventsService } from '../../src/calls/index.js';
import type { ModelRouting } from '../../src/routing/routing-table.service.js';
import { eventually } from '../support/eventually.js';
import { sendChat } from '../support/openai-answers.js';
import { Program } from '../support/program.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { builtPage, DashboardPage, launchBrowser } from './support/browser.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const ROUTING = '/v1/routing';
const TABS = ['overview', 'calls', 'nodes', 'timeline', 'chat'];

let dashboardFolder = '';
let browser: Browser;
let stage: Stage;
let tracker: StagedTracker;
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
  tracker = await stage.tracker({ parts: { dashboardFolder }, env: { MESHNET_ROUTE_SEED: '7' } });
});

afterEach(async () => {
  const faults = opened.flatMap((tab) => tab.faults);
  for (const tab of opened) await tab.close();
  await stage.end();
  expect(faults).toEqual([]);
});

async function open(options: Parameters<typeof DashboardPage.open>[2] = {}): Promise<DashboardPage> {
  const tab = await DashboardPage.open(browser, tracker.url, options);
  opened.push(tab);
  return tab;
}

/** A head of layers 0–21 and a node of all 40, so that there are two routes. */
async function mixedMesh(): Promise<void> {
  const mesh = stage.mesh(tracker.url);
  const one = { wallet: 'w', model: MODEL, numLayers: 40 };
  await mesh.add({ ...one, name: 'gpu', shard: { start: 0, end: 21 }, msPerLayer: 0.01 });
  await mesh.add({ ...one, name: 'cpu', shard: { start: 0, end: 39 }, msPerLayer: 0.05 });
}

async function chats(times: number, more: object = {}): Promise<void> {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'Which way?' }], max_tokens: 16, ...more };
  for (let n = 0; n < times; n += 1) await tracker.api.chat(body);
}

function cell(row: Locator, column: string): Promise<string> {
  return row.locator(`[data-col="${column}"]`).innerText();
}

/** Rounded as the table does. */
function shown({ candidates }: ModelRouting): Record<string, string>[] {
  const optional = (value: number | null, decimals: number): string => value?.toFixed(decimals) ?? '–';
  return candidates.map((route) => ({
    signature: route.signature,
    tps: optional(route.tps, 1),
    coefficient: optional(route.coefficient, 2),
    samples: String(route.sample_count),
    status: route.status,
    in_flight: String(route.in_flight),
  }));
}

describe('the overview', () => {
  it('shows the numbers of /v1/routing', async () => {
    await mixedMesh();
    await chats(6);
    const tab = await open();
    const answer = await tab.nextAnswer<{ models: ModelRouting[] }>(ROUTING);
    const [model] = answer.models;
    const rows = tab.page.getByTestId('routing-learned').locator('[data-signature]');
    await eventually(async () => {
      const seen = [];
      for (const row of await rows.all()) {
        seen.push({
          signature: await row.getAttribute('data-signature'),
          tps: await cell(row, 'tps'),
          coefficient: await cell(row, 'coefficient'),
          samples: await cell(row, 'samples'),
          status: (await cell(row, 'status')).replace(/[^a-z]/g, ''),
          in_flight: await cell(row, 'in_flight'),
        });
      }
      const byName = (a: { signature: string | null }, b: { signature: string | null }): number =>
        String(a.signature).localeCompare(String(b.signature));
      expect(seen.sort(byName)).toEqual(shown(model!).sort((a, b) => byName(a as never, b as never)));
    });
    const shares = [];
    for (const row of await rows.all()) shares.push(parseFloat(await cell(row, 'share')));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeGreaterThan(98);
    const config = await tab.page.getByTestId('routing-learned').innerText();
    for (const word of ['proportional', '0.3', '600', 'epoch 2']) {
      expect(config.toLowerCase()).toContain(word);
    }
  });

  it('shows the history of a route that is opened, and its last calls', async () => {
    await mixedMesh();
    await chats(4);
    const tab = await open();
    await tab.page.getByTestId('routing-learned').locator('[data-signature] button').first().click();
    const history = tab.page.getByTestId('route-detail');
    await history.locator('canvas').waitFor();
    await eventually(async () => {
      expect(await history.locator('a[href^="#/calls/"]').count()).toBeGreaterThan(0);
    });
  });

  describe('of a mesh whose node is a process of its own', () => {
    const program = new Program();
    afterAll(() => program.remove());

    it('shows the gap within one poll after the node was ended by SIGTERM', async () => {
      const mesh = stage.mesh(tracker.url);
      await mesh.add({
        ...{ wallet: 'w', name: 'gpu', model: MODEL, numLayers: 40 },
        shard: { start: 0, end: 21 },
      });
      const tail = program.start(
        [
          ...['--model', MODEL, '--num-layers', '40', '--shard', '22-39'],
          ...['--wallet', 'w', '--name', 'tail', '--tracker', tracker.url],
        ],
        {},
        'demo/reference-node.main.js',
      );
      await eventually(async () => {
        expect((await tracker.api.routing(MODEL)).gaps).toEqual([]);
      }, 15_000);
      const tab = await open();
      const gaps = tab.page.getByTestId('gap');
      await tab.page.getByTestId('layer-map').waitFor();
      expect(await gaps.count()).toBe(0);
      tail.signal('SIGTERM');
      await eventually(async () => {
        expect((await tracker.api.routing(MODEL)).gaps).toHaveLength(1);
      }, 15_000);
      // Whatever the page asks next, it asks after the tracker knows.
      await tab.nextAnswer(ROUTING);
      await gaps.first().waitFor();
      expect(await tab.page.getByTestId('layer-map').innerText()).toMatch(/22\s*[–-]\s*39/);
      await tail.ended;
    });
  });
});

describe('the call wall', () => {
  it('shows a call that comes in, and its story', async () => {
    await mixedMesh();
    const tab = await open({ hash: '#/calls' });
    await tab.page.getByTestId('call-wall').waitFor();
    await chats(1);
    const row = tab.page.locator('[data-request-id]').first();
    await row.waitFor();
    const id = await row.getAttribute('data-request-id');
    await tab.goto(`#/calls/${encodeURIComponent(id!)}`);
    const story = tab.page.getByTestId('call-story');
    await story.waitFor();
    await eventually(async () => {
      const text = await story.innerText();
      for (const word of ['scout', 'completed', 'recorded', 'w.gpu', 'w.cpu']) {
        expect(text.toLowerCase()).toContain(word);
      }
    });
  });

  it('watches one event stream, closed while the tab is hidden', async () => {
    const events = tracker.app.get(EventsService);
    const watching = (count: number): Promise<void> =>
      eventually(() => {
        expect(events.watcherCount).toBe(count);
      });
    const tab = await open({ hash: '#/calls' });
    await watching(1);
    await tab.setHidden(true);
    await watching(0);
    await mixedMesh();
    await chats(1);
    await tab.setHidden(false);
    await watching(1);
    // What was missed meanwhile is there.
    await tab.page.locator('[data-request-id]').first().waitFor();
    for (const hash of ['#/overview', '#/calls', '#/chat', '#/calls']) {
      await tab.page.evaluate(`location.hash = '${hash}'`);
    }
    await watching(1);
  });
});

describe('try a chat', () => {
  it('streams the answer, says which route served it, and the call shows up on the wall', async () => {
    await mixedMesh();
    const tab = await open({ hash: '#/chat' });
    const chat = tab.page.getByTestId('chat');
    await chat.getByTestId('chat-input').fill('Which way is the fastest?');
    await chat.getByTestId('chat-send').click();
    const link = chat.locator('a[href^="#/calls/"]').first();
    await link.waitFor();
    expect(await chat.getByTestId('chat-route').innerText()).toMatch(/w\.(gpu|cpu)/);
    await eventually(async () => {
      expect((await chat.getByTestId('chat-answer').innerText()).length).toBeGreaterThan(10);
    });
    const href = await link.getAttribute('href');
    await link.click();
    await tab.page.getByTestId('call-story').waitFor();
    const id = decodeURIComponent(href!.replace('#/calls/', ''));
    expect((await tracker.api.get(`/v1/calls/${encodeURIComponent(id)}`)).status).toBe(200);
  });
});

describe('whatever the tracker says', () => {
  const XSS = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';

  it('is shown as text: names, answers, causes', async () => {
    const head = await stage.head((response, chat) => sendChat(response, chat, [XSS]));
    await tracker.api.register({ wallet: 'w', name: 'x', endpoint: head.url, model: XSS });
    await tracker.api.register({
      ...{ wallet: 'w', name: 'y', endpoint: 'http://127.0.0.1:9/', model: `${XSS}2` },
      ...{ num_layers: 4, shard_start: 0, shard_end: 1 },
    });
    await tracker.api.chat({ model: XSS, messages: [{ role: 'user', content: XSS }] });
    const tab = await open();
    for (const name of TABS) {
      await tab.goto(`#/${name}`);
      await tab.page.getByText(XSS, { exact: false }).first().waitFor({ state: 'attached' });
    }
    const chat = tab.page.getByTestId('chat');
    await chat.getByTestId('chat-input').fill(XSS);
    await chat.getByTestId('chat-send').click();
    await chat.getByTestId('chat-answer').getByText(XSS).waitFor();
    expect(await tab.page.evaluate('window.broken')).toBeUndefined();
    expect(await tab.page.locator('main img, main script').count()).toBe(0);
  });
});

describe('of a large mesh', () => {
  it('no more rows of the wall are in the page than can be seen, and nothing scrolls sideways', async () => {
    const head = await stage.head();
    for (let model = 0; model < 50; model += 1) {
      const registrations = Array.from({ length: 8 }, (_, node) =>
        tracker.api.register({
          ...{
            wallet: `w${String(node)}`,
            name: `n${String(model)}`,
            endpoint: `${head.url}/${String(model)}-${String(node)}`,
          },
          ...{ model: `model-${String(model)}`, num_layers: 8, shard_start: 0, shard_end: node },
        }),
      );
      await Promise.all(registrations);
    }
    for (let sent = 0; sent < 1000; sent += 20) {
      const some = Array.from({ length: 20 }, (_, at) =>
        tracker.api.chat({ model: `model-${String((sent + at) % 50)}`, messages: [] }),
      );
      await Promise.all(some);
    }
    const tab = await open({ hash: '#/calls' });
    await eventually(async () => {
      expect(await tab.page.getByTestId('wall-count').innerText()).toContain('1000');
    });
    const rows = await tab.page.locator('[data-request-id]').count();
    expect(rows).toBeGreaterThan(10);
    expect(rows).toBeLessThan(150);
    for (const name of TABS) {
      await tab.goto(`#/${name}`);
      await tab.filled();
      expect({ name, overflow: await tab.sidewaysOverflow() }).toEqual({ name, overflow: 0 });
    }
    await tab.goto('#/nodes');
    expect(await tab.page.getByTestId('nodes-count').innerText()).toContain('400');
  });
});

describe('the page', () => {
  it.each(['light', 'dark'].flatMap((scheme) => [1280, 360].map((width) => [scheme, width] as const)))(
    'has no serious accessibility fault in %s at %d px, nor scrolls sideways',
    async (scheme, width) => {
      await mixedMesh();
      await tracker.api.register({
        ...{ wallet: 'w', name: 'lonely', endpoint: 'http://127.0.0.1:9/', model: 'gappy' },
        ...{ num_layers: 8, shard_start: 0, shard_end: 3 },
      });
      await chats(4);
      const tab = await open({
        colorScheme: scheme as 'light' | 'dark',
        viewport: { width, height: 800 },
      });
      const [call] = (
        JSON.parse((await tracker.api.get('/v1/calls')).text) as { data: [{ request_id: string }] }
      ).data;
      for (const hash of [...TABS.map((name) => `#/${name}`), `#/calls/${call.request_id}`]) {
        await tab.goto(hash);
        await tab.filled();
        expect({ hash, faults: await tab.accessibilityFaults() }).toEqual({ hash, faults: [] });
        expect({ hash, overflow: await tab.sidewaysOverflow() }).toEqual({ hash, overflow: 0 });
      }
    },
  );

  it('keeps what it knew when the tracker goes, says so, and comes back with it', async () => {
    await mixedMesh();
    await chats(2);
    const tab = await open();
    const rows = tab.page.getByTestId('routing-learned').locator('[data-signature]');
    await rows.first().waitFor();
    const { page } = tab;
    await page.route('**/v1/**', (route) => route.abort());
    await page.getByRole('alert').first().waitFor();
    expect(await rows.count()).toBe(2);
    expect(await page.locator('.live').innerText()).toMatch(/gone/);
    await page.unroute('**/v1/**');
    await eventually(async () => {
      expect(await page.getByRole('alert').count()).toBe(0);
    }, 15_000);
    expect(await page.locator('.live').innerText()).toMatch(/live/);
  });

  it("takes another server's JSON, and a place that leads nowhere, for what they are", async () => {
    await mixedMesh();
    await chats(1);
    const tab = await open({ hash: '#/calls/' });
    await tab.page.locator('[data-request-id]').first().waitFor();
    expect(await tab.page.getByTestId('call-story').count()).toBe(0);
    for (const body of ['{}', '[]', '{"data":null}', '<html>']) {
      await tab.page.route('**/v1/**', (route) => route.fulfill({ contentType: 'application/json', body }));
      for (const name of ['overview', 'nodes', 'timeline']) {
        await tab.goto(`#/${name}`);
        await tab.page.getByRole('alert').first().waitFor();
      }
      await tab.page.unroute('**/v1/**');
    }
  });

  it('asks nothing while it is hidden', async () => {
    const tab = await open();
    const { clock } = tab.page;
    await clock.install();
    await tab.page.reload();
    await tab.filled();
    await tab.setHidden(true);
    let asked = 0;
    tab.page.on('request', () => (asked += 1));
    await clock.runFor(20_000);
    expect(asked).toBe(0);
    await tab.setHidden(false);
    await tab.nextAnswer(ROUTING);
  });
});
