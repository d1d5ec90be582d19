/**
 * Requests a second that a mesh can bear: the maximum flow over the layers, along the candidate routes, with what each node
 * can hold as its limit. A call is on all nodes of its route for as long as it takes, whatever its share of the layers.
 *
 * Slots: calls a second × seconds that each holds its places must not exceed a node's slots. Linear: a call that shares its
 * nodes with many is slowed in proportion to them, slope × seconds alone for each; below 1 on every node, queues
 * stay finite.
 */
export function capacityOf(routes, machines, nodeModel, size, availability = () => 1) {
  const rows = machines.map((machine) => ({
    // What isn't there, or is slow, for a part of the time can be held by so much less.
    limit: (nodeModel === 'slots' ? machine.slots : 1) * availability(machine),
    coefficients: routes.map((route) =>
      isOn(route, machine) ? holding(route, machines, nodeModel, size) : 0,
    ),
  }));
  return mostOf(rows);
}

function isOn({ hops }, { index }) {
  return hops.some(({ machine }) => machine === index);
}

function holding({ hops }, machines, nodeModel, { promptTokens, outputTokens }) {
  return hops.reduce((sum, { machine, layers }) => {
    const { layerSeconds, prefillRatio, hopSeconds, slope } = machines[machine];
    const alone = layerSeconds * layers * (outputTokens + promptTokens * prefillRatio);
    return sum + (nodeModel === 'slots' ? alone + hopSeconds * outputTokens : slope * alone);
  }, 0);
}

/** The simplex method: the largest sum of variables ≥ 0 such that each row's sum of products stays within its limit. */
function mostOf(rows) {
  const count = rows[0].coefficients.length;
  const table = rows.map(({ coefficients, limit }, at) => [
    ...coefficients,
    ...rows.map((_, other) => Number(other === at)),
    limit,
  ]);
  const gains = [...rows[0].coefficients.map(() => 1), ...rows.map(() => 0), 0];
  for (let rounds = 0; rounds < 50 * (count + rows.length); rounds += 1) {
    const entering = gains.findIndex((gain, at) => at < gains.length - 1 && gain > 1e-12);
    if (entering < 0) break;
    const leaving = tightest(table, entering);
    if (leaving < 0) return Infinity;
    pivot(table, gains, leaving, entering);
  }
  return -gains.at(-1);
}

function tightest(table, column) {
  let [least, at] = [Infinity, -1];
  table.forEach((row, index) => {
    const ratio = row[column] > 1e-12 ? row.at(-1) / row[column] : Infinity;
    if (ratio < least) [least, at] = [ratio, index];
  });
  return at;
}

function pivot(table, gains, leaving, entering) {
  const row = table[leaving];
  const scale = row[entering];
  row.forEach((value, at) => (row[at] = value / scale));
  for (const other of [...table, gains]) {
    const factor = other[entering];
    if (other === row || factor === 0) continue;
    row.forEach((value, at) => (other[at] -= factor * value));
  }
}
