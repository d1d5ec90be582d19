/**
 * Requests a second that a mesh can bear: the maximum flow of requests over layer boundaries. A node is an edge from every
 * boundary at which it can be entered to the one after its last layer, and carries what it can bear of requests of mean
 * size: in the slots model a request holds its slot for the whole call, in the linear model throughput tends to
 * 1 / (slope × seconds alone).
 */
export function capacityOf(machines, numLayers, nodeModel, size, availability = () => 1) {
  const flow = new Flow(numLayers + 1 + 2 * machines.length);
  machines.forEach((machine, at) => {
    const [entry, exit] = [numLayers + 1 + 2 * at, numLayers + 2 + 2 * at];
    flow.edge(entry, exit, bearable(machine, numLayers, nodeModel, size) * availability(machine));
    for (let layer = machine.start; layer <= machine.end; layer += 1) {
      if (layer > 0 || machine.start === 0) flow.edge(layer, entry, Infinity);
    }
    flow.edge(exit, machine.end + 1, Infinity);
  });
  return flow.most(0, numLayers);
}

function bearable(machine, numLayers, nodeModel, { promptTokens, outputTokens }) {
  const tokens = outputTokens + promptTokens * machine.prefillRatio;
  const alone = tokens * machine.layerSeconds * numLayers;
  return nodeModel === 'slots' ? machine.slots / alone : 1 / (machine.slope * alone);
}

/** Edmonds and Karp: shortest augmenting paths. */
class Flow {
  constructor(vertices) {
    this.out = Array.from({ length: vertices }, () => []);
  }

  edge(from, to, room) {
    const there = { to, room };
    const back = { to: from, room: 0, twin: there };
    there.twin = back;
    this.out[from].push(there);
    this.out[to].push(back);
  }

  most(source, sink) {
    let total = 0;
    for (let path = this.path(source, sink); path !== null; path = this.path(source, sink)) {
      const room = Math.min(...path.map((edge) => edge.room));
      for (const edge of path) {
        edge.room -= room;
        edge.twin.room += room;
      }
      total += room;
    }
    return total;
  }

  path(source, sink) {
    const by = new Map([[source, null]]);
    for (const vertex of by.keys()) {
      for (const edge of this.out[vertex]) {
        if (edge.room > 1e-12 && !by.has(edge.to)) by.set(edge.to, edge);
      }
    }
    if (!by.has(sink)) return null;
    const path = [];
    for (let edge = by.get(sink); edge !== null; edge = by.get(edge.twin.to)) path.push(edge);
    return path;
  }
}
