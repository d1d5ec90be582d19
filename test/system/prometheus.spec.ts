import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { eventually } from '../support/eventually.js';
import { jsonOf, send } from '../support/http-client.js';
import { sendJson } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join as joinMesh, MODEL } from '../support/whole-model.js';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = join(ROOT, 'config/prometheus/prometheus.yml');
const RULES = join(ROOT, 'config/prometheus/meshnet.rules.yml');
const RULES_TEST = join(ROOT, 'config/prometheus/tests/meshnet.rules.test.yml');
const DASHBOARD = join(ROOT, 'config/grafana/meshnet-dashboard.json');
const START_MS = 60_000;

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly { readonly metric: object; readonly value: [number, string] }[];
  };
}

const stage = new Stage();
let tracker: StagedTracker;

beforeAll(async () => {
  for (const program of ['promtool', 'prometheus']) {
    if (spawnSync(program, ['--version']).error !== undefined) {
      throw new Error(`${program} is not here: install Debian's package prometheus`);
    }
  }
  tracker = await stage.tracker();
  await joinMesh(tracker.api, await stage.head(), 'good');
  const failing = await stage.head((response) => sendJson(response, 500, { error: { message: 'down' } }));
  await joinMesh(tracker.api, failing, 'failing', { throughput_tps: 1000 });
  await chats();
});
afterAll(() => stage.end());

async function chats(): Promise<void> {
  for (const stream of [true, false, true]) await tracker.api.chat(aChat({ stream }));
  await tracker.api.chat({ model: 'nobody-has-this' });
}

/** What promtool says to a file or to its input; it throws with that when promtool finds a fault. */
function promtool(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout + stderr;
}

describe('promtool', () => {
  it('has nothing to say against /metrics', async () => {
    const { text } = await tracker.api.get('/metrics');
    expect(text).toContain('meshnet_requests_total{');
    expect(promtool(['check', 'metrics'], text)).toBe('');
  });

  it('takes configuration and rules, and finds that each alert fires when it should', () => {
    expect(promtool(['check', 'config', CONFIG])).toContain('SUCCESS');
    expect(promtool(['check', 'rules', RULES])).toContain('SUCCESS');
    expect(promtool(['test', 'rules', RULES_TEST])).toContain('SUCCESS');
  });
});

describe('a Prometheus that scrapes a tracker', () => {
  let home = '';
  let url = '';
  let prometheus: ChildProcess | null = null;
  let ended: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'meshnet-prometheus-'));
    const config = join(home, 'prometheus.yml');
    writeFileSync(config, hasty(readFileSync(CONFIG, 'utf8'), `127.0.0.1:${String(tracker.port)}`));
    const address = `127.0.0.1:${String(await freePort())}`;
    url = `http://${address}`;
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(home, 'tsdb')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    ended = once(prometheus, 'close');
    await eventually(async () => {
      expect((await send(`${url}/-/ready`)).status).toBe(200);
    }, START_MS);
  });
  afterAll(async () => {
    prometheus?.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });

  async function ask(query: string): Promise<Answer> {
    return jsonOf(await send(`${url}/api/v1/query?query=${encodeURIComponent(query)}`)) as Answer;
  }

  async function valueOf(query: string): Promise<number> {
    const [found] = (await ask(query)).data.result;
    if (found === undefined) throw new Error(`there is no ${query}`);
    return Number(found.value[1]);
  }

  async function allRules(): Promise<{ name: string; health: string }[]> {
    const answer = jsonOf(await send(`${url}/api/v1/rules`)) as {
      data: { groups: { rules: { name: string; health: string }[] }[] };
    };
    return answer.data.groups.flatMap(({ rules }) => rules);
  }

  it('finds it up, and its series with all their labels', async () => {
    await eventually(async () => {
      expect(await valueOf('up{job="meshnet"}')).toBe(1);
      expect(await valueOf(`sum(meshnet_requests_total{model="${MODEL}",outcome="completed"})`)).toBe(3);
      expect(await valueOf('sum(meshnet_requests_total{model="other",outcome="turned_away"})')).toBe(1);
      expect(await valueOf(`sum(meshnet_route_traffic_share{model="${MODEL}"})`)).toBeCloseTo(1, 9);
    }, START_MS);
  });

  it('evaluates every rule, and has a failure ratio once more calls were seen', async () => {
    await eventually(async () => {
      await chats();
      expect(await valueOf(`model:meshnet_failure_ratio:rate5m{model="${MODEL}"}`)).toBe(0);
    }, START_MS);
    await eventually(async () => {
      const rules = await allRules();
      expect(rules.length).toBeGreaterThan(10);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    }, START_MS);
  });

  it('understands what every panel of the Grafana dashboard asks', async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const silent: string[] = [];
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const { status, error, data } = await ask(asGrafanaAsks(expr));
        expect([title, status, error]).toEqual([title, 'success', undefined]);
        if (data.result.length === 0) silent.push(title);
      }
    }
    expect(silent.filter((title) => !MAY_BE_SILENT.has(title))).toEqual([]);
  });
});

/** What there may be nothing of: nobody waited, nothing is missing, no breaker is open, no scout had a proven rival. */
const MAY_BE_SILENT: ReadonlySet<string> = new Set([
  'Wait in the queue',
  'Layers without a node',
  'Breakers that are not closed',
  'Scout cost',
]);

/** The operators' own file, for one tracker that is here, and without patience. */
function hasty(config: string, target: string): string {
  return config
    .replace('tracker:8080', target)
    .replace('- meshnet.rules.yml', `- ${RULES}`)
    .replace(/(scrape_interval|evaluation_interval): 15s/g, '$1: 1s');
}

function asGrafanaAsks(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$job', 'meshnet')
    .replace(/\$(instance|model)/g, '.*');
}
