const FIGURES = [
  'mean_s',
  'p50_s',
  'p99_s',
  'goodput',
  'refused',
  'unfinished',
  'control_mean_s',
  'scout_cost',
  'control_cost',
];

/** One row a cell: the mean of each figure over the seeds, and how far the mean and p99 are known (95 %). */
export function summarise(runs) {
  const cells = new Map();
  for (const run of runs) {
    const { seed, ...cell } = run.cell;
    const key = JSON.stringify(cell);
    if (!cells.has(key)) cells.set(key, { cell, runs: [] });
    cells.get(key).runs.push({ seed, ...run });
  }
  return [...cells.values()].map(({ cell, runs: own }) => rowOf(cell, own)).sort(byPlace);
}

function rowOf({ scenario, nodeModel, mesh, load, policy }, runs) {
  const of = (figure) => runs.map((run) => run[figure]).filter((value) => typeof value === 'number');
  const means = Object.fromEntries(FIGURES.map((figure) => [figure, mean(of(figure))]));
  return {
    ...{ scenario, node_model: nodeModel, mesh, load, policy },
    ...means,
    mean_s_by_seed: runs.sort((a, b) => a.seed - b.seed).map((run) => run.mean_s),
    p99_s_by_seed: runs.map((run) => run.p99_s),
  };
}

export function mean(values) {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const STUDENT_95 = [null, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26];

/** Half of the 95 % interval of the mean of differences, seed by seed. */
export function halfInterval(differences) {
  const count = differences.length;
  if (count < 2) return Infinity;
  const middle = mean(differences);
  const variance = differences.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (count - 1);
  return (STUDENT_95[count - 1] ?? 2) * Math.sqrt(variance / count);
}

function byPlace(a, b) {
  return (
    (a.scenario < b.scenario ? -1 : Number(a.scenario > b.scenario)) ||
    a.load - b.load ||
    a.mesh - b.mesh ||
    (a.node_model < b.node_model ? -1 : Number(a.node_model > b.node_model))
  );
}
