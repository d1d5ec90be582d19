import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Exposition } from '../support/exposition.js';
import { Stage } from '../support/stage.js';
import { aChat, join as joinMesh } from '../support/whole-model.js';

const ROOT = resolve(import.meta.dirname, '../..');
const RULES = 'config/prometheus/meshnet.rules.yml';
const RULES_TEST = 'config/prometheus/tests/meshnet.rules.test.yml';
const DASHBOARD = 'config/grafana/meshnet-dashboard.json';
const OPERATIONS = 'docs/operations.md';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What of a Grafana dashboard matters here. */
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

const dashboard = JSON.parse(read(DASHBOARD)) as {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
};
const stage = new Stage();
let shown: Exposition;

beforeAll(async () => {
  const { api } = await stage.tracker();
  await joinMesh(api, await stage.head(), 'w');
  for (const stream of [true, false]) await api.chat(aChat({ stream }));
  shown = new Exposition((await api.get('/metrics')).text);
});
afterAll(() => stage.end());

/** Names of metrics in a text, those that rules record left out. */
function metricsIn(text: string): string[] {
  const names = text.match(/(?<![:\w])(?:meshnet|process|nodejs)_[a-z0-9_]+(?![\w:])/g) ?? [];
  return [...new Set(names)].sort();
}

/** Names that rules record. */
function recordedIn(text: string): string[] {
  return [...new Set(text.match(/\bmodel:\w+:\w+/g))].sort();
}

/** Names under which a series may stand. */
function seriesNames(): Set<string> {
  const suffixes: Readonly<Record<string, string[]>> = {
    histogram: ['_bucket', '_sum', '_count'],
    summary: ['', '_sum', '_count'],
  };
  const names = Object.entries(shown.types).flatMap(([name, type]) =>
    (suffixes[type] ?? ['']).map((suffix) => name + suffix),
  );
  return new Set(names);
}

describe('rules and dashboard', () => {
  it.each([RULES, RULES_TEST, DASHBOARD])('in %s ask for nothing that /metrics does not have', (file) => {
    const names = metricsIn(read(file));
    const known = seriesNames();
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(8);
  });

  it('use no recorded series that no rule records', () => {
    const recorded = [...read(RULES).matchAll(/record: (\S+)/g)].map(([, name = '']) => name);
    const used = [RULES, RULES_TEST, DASHBOARD].flatMap((file) => recordedIn(read(file)));
    expect(used.filter((name) => !recorded.includes(name))).toEqual([]);
    expect(recorded.length).toBeGreaterThan(5);
  });

  it('have a unit test for every alert', () => {
    const alerts = [...read(RULES).matchAll(/alert: (\S+)/g)].map(([, name = '']) => name);
    const tested = read(RULES_TEST);
    expect(alerts.filter((name) => !tested.includes(`alertname: ${name}\n`))).toEqual([]);
    expect(alerts.length).toBeGreaterThan(5);
  });
});

describe('the Grafana dashboard', () => {
  it('asks the data source that its reader chose, in every panel', () => {
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource' }),
    );
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    const sources = panels.flatMap(({ datasource, targets = [] }) => [
      datasource?.uid,
      ...targets.map((target) => target.datasource.uid),
    ]);
    expect(new Set(sources)).toEqual(new Set(['${datasource}']));
  });

  it('is of a schema that Grafana 10 and 11 read, with panels that lie side by side', () => {
    expect(dashboard.schemaVersion).toBe(39);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(dashboard.panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24)).toEqual([]);
  });
});

describe('the table of metrics', () => {
  it('has each metric of /metrics, and no other', () => {
    const table = /<!-- metrics -->(.*)<!-- \/metrics -->/s.exec(read(OPERATIONS))?.[1] ?? '';
    expect(metricsIn(table)).toEqual(Object.keys(shown.types).sort());
  });
});
