/**
 * Knows what no tracker can: true speeds at the moment, how each node takes load, how much each call has left, and the size of
 * the answer to come. Picks the route on which this request would be done first, if nothing changed.
 */
export function oracle() {
  return {
    pick(request, routes, mesh) {
      let [best, seconds] = [0, Infinity];
      const waits = new Map();
      routes.forEach((route, index) => {
        const own = trueSeconds(request, route, mesh, waits);
        if (own < seconds) [best, seconds] = [index, own];
      });
      return best;
    },
  };
}

/**
 * How long a request would take on a route if nothing changed from now on.
 *
 * @param waits what was found out about the waits for nodes at this moment
 */
export function trueSeconds(request, route, mesh, waits = new Map()) {
  return mesh.world.nodeModel === 'slots'
    ? slotted(request, route, mesh, waits)
    : shared(request, route, mesh);
}

function shared(request, { hops }, mesh) {
  return hops.reduce((sum, { machine, layers }) => {
    const node = mesh.nodes[machine];
    return sum + hopSeconds(request, node, layers, 1 + node.machine.slope * node.held);
  }, 0);
}

/** The longest wait for a place on any hop, and then at full speed. */
function slotted(request, route, mesh, waits) {
  const wait = route.hops
    .map(({ machine }) => waitOn(mesh.nodes[machine], mesh.active, waits))
    .reduce((a, b) => a + b, 0);
  return wait + serviceSeconds(request, route, mesh);
}

function serviceSeconds(request, { hops }, mesh) {
  return hops.reduce(
    (sum, { machine, layers }) => sum + hopSeconds(request, mesh.nodes[machine], layers, 1),
    0,
  );
}

function hopSeconds({ promptTokens, outputTokens }, { machine, factor }, layers, slowdown) {
  const token = machine.layerSeconds * layers * factor * slowdown;
  return promptTokens * token * machine.prefillRatio + outputTokens * (token + machine.hopSeconds);
}

function waitOn(node, active, waits) {
  if (node.held < node.machine.slots) return 0;
  if (!waits.has(node)) waits.set(node, waitFor(node, active));
  return waits.get(node);
}

/** Lets those on the node finish and those in line take their places, one after the other. */
function waitFor(node, active) {
  const on = active.filter(({ nodes }) => nodes.includes(node));
  const places = [];
  const line = [];
  for (const call of on) {
    const inside = call.nodes.indexOf(node) < call.entered;
    const service = serviceLeft(call);
    if (inside) places.push(service);
    else line.push(service);
  }
  while (places.length < node.machine.slots) places.push(0);
  for (const service of line) {
    places.sort((a, b) => a - b);
    places[0] += service;
  }
  return Math.min(...places);
}

function serviceLeft({ phase, request, route, nodes, left }) {
  const prompt = phase === 'answer' ? 0 : left;
  const output = phase === 'answer' ? left : request.outputTokens;
  const size = { promptTokens: prompt, outputTokens: output };
  return nodes.reduce((sum, node, at) => sum + hopSeconds(size, node, route.hops[at].layers, 1), 0);
}
