/** What gateways and load balancers do: rules of a few lines, written anew, and given the same routes as ours. */

/** In turn. */
export function roundRobin() {
  let turn = 0;
  return { pick: (request, routes) => turn++ % routes.length };
}

/** The route with the fewest calls under way; random ties. */
export function leastInFlight({ dice }) {
  const pending = new Map();
  const count = (call, by) => pending.set(call.route.key, (pending.get(call.route.key) ?? 0) + by);
  return {
    pick: (request, routes) => least(routes, ({ key }) => pending.get(key) ?? 0, dice),
    started: (call) => count(call, 1),
    finished: (call) => count(call, -1),
    failed: (call) => count(call, -1),
  };
}

const PEAK_DECAY_SECONDS = 120;

/** Of two routes drawn, the one with the lower latency × (pending + 1); latency jumps to a peak and decays from it. */
export function peakEwma({ dice }) {
  const known = new Map();
  const of = ({ key }) => {
    if (!known.has(key)) known.set(key, { seconds: 0, at: 0, pending: 0 });
    return known.get(key);
  };
  const over = (call) => (of(call.route).pending -= 1);
  return {
    pick(request, routes) {
      const drawn = [dice.whole(routes.length), dice.whole(routes.length)];
      const cost = (index) => of(routes[index]).seconds * (of(routes[index]).pending + 1);
      return cost(drawn[0]) <= cost(drawn[1]) ? drawn[0] : drawn[1];
    },
    started: (call) => (of(call.route).pending += 1),
    finished(call, mesh, now) {
      over(call);
      const latency = of(call.route);
      const seconds = now - call.pickedAt;
      const kept = seconds > latency.seconds ? 0 : Math.exp(-(now - latency.at) / PEAK_DECAY_SECONDS);
      latency.seconds = latency.seconds * kept + seconds * (1 - kept);
      latency.at = now;
    },
    failed: over,
  };
}

const LIST_LENGTH = 10;

/** Lowest mean of the last ten seconds per token; a route without any goes first. */
export function latencyList({ dice }) {
  const lists = new Map();
  const mean = (list) => (list === undefined ? 0 : list.reduce((sum, value) => sum + value, 0) / list.length);
  return {
    pick: (request, routes) => least(routes, ({ key }) => mean(lists.get(key)), dice),
    finished(call, mesh, now) {
      const list = lists.get(call.route.key) ?? [];
      lists.set(call.route.key, list);
      list.push((now - call.pickedAt) / call.request.outputTokens);
      if (list.length > LIST_LENGTH) list.shift();
    },
  };
}

function least(routes, costOf, dice) {
  let [best, cost, ties] = [0, Infinity, 0];
  routes.forEach((route, index) => {
    const own = costOf(route);
    if (own > cost) return;
    ties = own < cost ? 1 : ties + 1;
    if (own < cost || dice.next() * ties < 1) [best, cost] = [index, own];
  });
  return best;
}
