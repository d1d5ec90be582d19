import { mkdirSync, writeFileSync } from 'node:fs';
import { POLICIES } from './cell.mjs';
import { lineChart } from './chart.mjs';
import { LOADS, NODE_MODELS } from './plan.mjs';
import { MESHES } from './mesh.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { admissionTable, costTable, costText } from './cost-tables.mjs';
import { words } from './page-words.mjs';
import { halfInterval } from './summary.mjs';
import { bestPeer, groups, percent, secondsText } from './tables.mjs';

const DOCS = new URL('../../docs/', import.meta.url);
const CHARTS = new URL('images/policies/', DOCS);
const OURS = 'least-expected-delay';

/** Writes docs/policies.md and its charts. */
export function writePage(rows, follows, { requests, seeds }) {
  mkdirSync(CHARTS, { recursive: true });
  const all = groups(rows);
  const charts = MESHES.flatMap((mesh) => NODE_MODELS.map((nodeModel) => writeChart(all, mesh, nodeModel)));
  const verdicts = verdictsOf(all, follows);
  const sections = [
    words.opening({ requests, seeds }),
    '## Verdicts\n',
    verdictTable(verdicts),
    '\n' + words.misses(verdicts),
    '## Mean seconds by load\n',
    ...charts.map(({ file, title }) => `![${title}](images/policies/${file})\n`),
    '## What finding out costs\n',
    words.costs,
    costTable(all),
    words.admission,
    admissionTable(all),
    '## Every cell\n',
    words.columns,
    ...all.map(cellTable),
    '## How soon traffic follows\n',
    words.follow,
    followTable(follows),
    words.method,
    words.constants,
  ];
  writeFileSync(
    new URL('policies.md', DOCS),
    `${sections
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`,
  );
}

function writeChart(all, mesh, nodeModel) {
  const at = LOADS.map((load) =>
    all.find(
      (group) =>
        group.scenario === 'steady' &&
        group.mesh === mesh &&
        group.nodeModel === nodeModel &&
        group.load === load,
    ),
  );
  const names = Object.keys(POLICIES).filter((name) => name !== 'with admission');
  const series = names.map((name) => ({ name, points: at.map(({ load, by }) => [load, by[name].mean_s]) }));
  const title = `Mean seconds a request, ${mesh} nodes, ${nodeModel}, steady`;
  const file = `steady-${mesh}-${nodeModel}.svg`;
  writeFileSync(new URL(file, CHARTS), lineChart(title, series));
  return { file, title };
}

/** What was promised, cell by cell. */
export function verdictsOf(all, follows) {
  const verdicts = [];
  for (const group of all) {
    const { scenario, load, by } = group;
    const where = `${scenario}, ${percent(load)}, ${group.mesh} nodes, ${group.nodeModel}`;
    const ours = by[OURS];
    const peer = bestPeer(group);
    const add = (promise, value, limit, rest = {}) =>
      verdicts.push({ promise, where, value, limit, holds: value <= limit, ...rest });
    if (load <= 0.7 && ['steady', 'rough', 'half-json'].includes(scenario)) {
      add(
        `mean / oracle’s (${scenario})`,
        ours.mean_s / by.oracle.mean_s,
        scenario === 'half-json' ? 1.3 : 1.25,
      );
    }
    if (!['steady', 'rough', 'half-json'].includes(scenario)) {
      add('mean / oracle’s (other scenarios; not promised)', ours.mean_s / by.oracle.mean_s, 1.25);
    }
    if (load <= 0.7 && ['steady', 'rough'].includes(scenario)) {
      add(`mean / best peer’s (${scenario})`, ours.mean_s / peer.mean_s, 0.6, {
        oracles: by.oracle.mean_s / peer.mean_s,
      });
      const differences = ours.p99_s_by_seed.map((value, at) => value - peer.p99_s_by_seed[at]);
      const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
      add(`p99 − best peer’s, less the interval, s (${scenario})`, mean - halfInterval(differences), 0);
    }
    if (typeof ours.scout_cost === 'number')
      add('share of users’ time that scouts cost', ours.scout_cost, 0.02);
    if (scenario === 'steady' && load >= 0.9) {
      const best = Math.max(
        ...Object.values(by)
          .filter(({ policy }) => !['with admission', 'oracle'].includes(policy))
          .map(({ goodput }) => goodput),
      );
      add(
        `others’ best goodput − ours with admission, ${percent(load)} load`,
        best - by['with admission'].goodput,
        0,
      );
    }
  }
  for (const { mesh, nodeModel, load, policy, slowed_s, recovered_s } of follows) {
    if (policy !== OURS || load < 0.7) continue;
    const where = `${percent(load)}, ${mesh} nodes, ${nodeModel}`;
    for (const [promise, value] of [
      ['s until traffic leaves a slowed node', slowed_s],
      ['s until traffic is back on a recovered node', recovered_s],
    ]) {
      verdicts.push({
        promise,
        where,
        value: value ?? Infinity,
        limit: 60,
        holds: (value ?? Infinity) <= 60,
        note: '',
      });
    }
  }
  return verdicts;
}

function verdictTable(verdicts) {
  const promises = [...new Set(verdicts.map(({ promise }) => promise))];
  const lines = promises.map((promise) => {
    const own = verdicts.filter((verdict) => verdict.promise === promise);
    const held = own.filter(({ holds }) => holds).length;
    const worst = own.reduce((a, b) => (b.value - b.limit > a.value - a.limit ? b : a));
    const spread = [Math.min(...own.map(({ value }) => value)), worst.value].map(figure).join(' to ');
    return `| ${promise} | ≤ ${worst.limit} | ${spread} | ${held} of ${own.length} | ${worst.where} |`;
  });
  return [
    '| Figure | Limit | Found | Cells that hold | Worst cell |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

function figure(value) {
  if (!Number.isFinite(value)) return 'over 300';
  return Math.abs(value) >= 20 ? value.toFixed(0) : value.toFixed(2);
}

function cellTable(group) {
  const { scenario, load, mesh, nodeModel, by } = group;
  const oracle = by.oracle.mean_s;
  const lines = Object.values(by).map(
    ({ policy, mean_s, p50_s, p99_s, goodput, refused, unfinished, scout_cost }) =>
      `| ${policy} | ${secondsText(mean_s)} | ${(mean_s / oracle).toFixed(2)} | ${secondsText(p50_s)} | ${secondsText(p99_s)} | ${percent(goodput)} | ${Math.round(refused)} | ${Math.round(unfinished)} | ${costText(scout_cost)} |`,
  );
  const title = `### ${SCENARIOS[scenario].title}, ${percent(load)} load, ${mesh} nodes, ${nodeModel}\n`;
  return [
    title,
    '| Policy | mean s | / oracle | p50 s | p99 s | goodput | refused | unfinished | scouts cost |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...lines,
    '',
  ].join('\n');
}

function followTable(follows) {
  const lines = follows.map(
    ({ mesh, nodeModel, load, policy, share_before, share_slowed, slowed_s, recovered_s }) =>
      `| ${percent(load)} | ${mesh} | ${nodeModel} | ${policy} | ${percent(share_before)} | ${percent(share_slowed)} | ${slowed_s ?? 'over 300'} | ${recovered_s ?? 'over 300'} |`,
  );
  return [
    '| Load | Nodes | Node model | Policy | share before | share slowed | s until it left | s until it was back |',
    '| --: | --: | --- | --- | --: | --: | --: | --: |',
    ...lines,
    '',
  ].join('\n');
}
