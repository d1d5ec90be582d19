import { POLICIES } from './cell.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { mean } from './summary.mjs';
import { percent } from './tables.mjs';

/** What costs: of which policy, and which of its figures. */
const COLUMNS = [
  ['least-expected-delay', 'scout_cost', 'scouts of `least-expected-delay`'],
  ['least-expected-delay', 'control_cost', 'its control group'],
  ['proportional', 'scout_cost', 'scouts of `proportional`'],
  ['proportional, tuned', 'scout_cost', 'scouts of `proportional`, tuned'],
];

/** A row a scenario and load: shares of all users' time, over the meshes and node models. */
export function costTable(groups) {
  const lines = parts(groups).map(({ scenario, load, own }) => {
    const cells = COLUMNS.map(([policy, figure]) => meanAndWorst(own.map(({ by }) => by[policy]?.[figure])));
    return `| ${SCENARIOS[scenario].title} | ${percent(load)} | ${cells.join(' | ')} |`;
  });
  return table(['Scenario', 'Load', ...COLUMNS.map(([, , title]) => title)], 1, lines);
}

/** Goodput, cell by cell, wherever admission was tried; `best of the others` knows no future and is not ours. */
export function admissionTable(groups) {
  const lines = groups
    .filter(({ by }) => by['with admission'] !== undefined)
    .map(({ scenario, load, mesh, nodeModel, by }) => {
      const others = Object.values(by).filter(({ policy }) => POLICIES[policy].isPeer);
      const best = others.reduce((a, b) => (b.goodput > a.goodput ? b : a));
      const figures = [by['with admission'], by['least-expected-delay'], by.proportional].map(goodput);
      const bestText = `${goodput(best)} (${best.policy})`;
      return `| ${SCENARIOS[scenario].title}, ${percent(load)} | ${mesh} | ${nodeModel} | ${[...figures, bestText, goodput(by.oracle)].join(' | ')} |`;
    });
  const heads = ['Scenario, load', 'Nodes', 'Node model', 'with admission', 'without', 'proportional'];
  return table([...heads, 'best peer', 'oracle'], 3, lines);
}

/** A share of all users' time; `-` where the policy sends nobody to find out. */
export function costText(share) {
  return typeof share === 'number' ? `${(100 * share).toFixed(1)} %` : '-';
}

function goodput(row) {
  return percent(row.goodput);
}

function parts(groups) {
  const found = new Map();
  for (const group of groups) {
    const key = `${group.scenario}|${group.load}`;
    if (!found.has(key)) found.set(key, { ...group, own: [] });
    found.get(key).own.push(group);
  }
  return [...found.values()];
}

function meanAndWorst(shares) {
  const known = shares.filter((share) => typeof share === 'number');
  return known.length === 0 ? '-' : `${costText(mean(known))} (${costText(Math.max(...known))})`;
}

/** @param words so many columns are text, the rest figures */
function table(heads, words, lines) {
  const marks = heads.map((_, at) => (at < words ? '---' : '--:'));
  return [`| ${heads.join(' | ')} |`, `| ${marks.join(' | ')} |`, ...lines, ''].join('\n');
}
