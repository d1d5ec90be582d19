import { POLICIES } from './cell.mjs';

/** Rows that differ in the policy alone, together. */
export function groups(rows) {
  const found = new Map();
  for (const row of rows) {
    const key = [row.scenario, row.load, row.mesh, row.node_model].join('|');
    if (!found.has(key))
      found.set(key, {
        scenario: row.scenario,
        load: row.load,
        mesh: row.mesh,
        nodeModel: row.node_model,
        by: {},
      });
    found.get(key).by[row.policy] = row;
  }
  return [...found.values()];
}

/** The peer with the least mean. */
export function bestPeer({ by }) {
  const peers = Object.values(by).filter(({ policy }) => POLICIES[policy].isPeer);
  return peers.reduce((best, row) => (row.mean_s < best.mean_s ? row : best));
}

export function secondsText(value) {
  if (value === null || value === undefined) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

function scoutsText({ scout_cost: cost }) {
  return typeof cost === 'number' ? `   scouts cost ${(100 * cost).toFixed(1)} %` : '';
}

export function printTables(rows, follows) {
  for (const group of groups(rows)) {
    console.log(`\n${group.scenario}, ${percent(group.load)} load, ${group.mesh} nodes, ${group.nodeModel}`);
    for (const row of Object.values(group.by)) {
      const figures = [secondsText(row.mean_s), secondsText(row.p50_s), secondsText(row.p99_s)].map((text) =>
        text.padStart(7),
      );
      const lost = `${Math.round(row.refused)} refused, ${Math.round(row.unfinished)} unfinished`;
      console.log(
        `  ${row.policy.padEnd(22)} mean, p50, p99 s ${figures.join(' ')}   goodput ${percent(row.goodput).padStart(5)}   ${lost}${scoutsText(row)}`,
      );
    }
  }
  console.log('\nSeconds until the share of calls followed a node that slowed down eightfold, and recovered');
  for (const { mesh, nodeModel, load, policy, slowed_s, recovered_s } of follows) {
    console.log(
      `  ${percent(load)} load, ${mesh} nodes, ${nodeModel}, ${policy}: ${slowed_s ?? 'over 300'}, ${recovered_s ?? 'over 300'}`,
    );
  }
}
