/**
 * The simulated mesh: discrete events on a virtual clock. Between two events every running call goes on at its own
 * rate, which depends on who else is on its nodes. What a policy is told is what a tracker could see.
 *
 * Node models: `linear`, where n calls on a node slow each other to 1 + slope × (n - 1); `slots`, where a call takes a slot
 * on each of its nodes, waits in line where none is free, and then runs at full speed. A call has two phases, its
 * prompt and its answer; each token passes all hops.
 */
const TICK_SECONDS = 5;
const MOST_ATTEMPTS = 3;
/** After the last arrival; whoever is not done by then is unfinished. */
const GRACE_SECONDS = 300;

/**
 * @param world `{machines, nodeModel, arrivals, changes: [{at, machine, factor?, up?}], routesAt(up: boolean[]) → route[]}`;
 *   a route is `{hops: [{machine, layers}], …}`
 * @param policy `{pick(call, routes, mesh, now) → index | null (wait), …}` and the optional ears `routesChanged`, `started`,
 *   `ticked`, `firstToken`, `finished`, `failed`
 * @returns each arrival's `{outcome: 'finished' | 'refused' | 'unfinished', seconds}` in order, and the picks
 */
export function simulate(world, policy, { queueSeconds = 60, queueLength = 1000 } = {}) {
  return new Simulation(world, policy, queueSeconds, queueLength).run();
}

/**
 * All its fields are there from the beginning, those of the policies too: of objects that grow differently each field costs
 * a search, and a run looks at each call at each event.
 */
class RunningCall {
  phase = 'waiting';
  firstTokenAt = null;
  /** Tokens of the phase that are still to come. */
  left;
  /** Tokens/s. */
  rate = 0;
  /** How many of its nodes serve it. */
  entered = 0;
  othersAtPick;
  epoch = 0;
  mode = undefined;
  isScout = false;

  constructor(request, route, nodes, attempt, pickedAt) {
    this.request = request;
    this.route = route;
    this.nodes = nodes;
    this.attempt = attempt;
    this.pickedAt = pickedAt;
    this.left = request.promptTokens;
    this.othersAtPick = nodes.map(({ held }) => held);
  }
}

class Simulation {
  stepping = null;
  open = 0;
  routes = [];

  constructor(world, policy, queueSeconds, queueLength) {
    this.world = world;
    this.policy = policy;
    this.queueSeconds = queueSeconds;
    this.queueLength = queueLength;
    this.nodes = world.machines.map((machine) => ({
      machine,
      factor: 1,
      up: true,
      /** Calls given to it and not over: what a tracker counts. */
      held: 0,
      /** Calls that it serves. */
      running: 0,
      line: [],
    }));
    this.now = 0;
    this.horizon = (world.arrivals.at(-1)?.at ?? 0) + GRACE_SECONDS;
    this.active = [];
    this.queue = [];
    this.results = world.arrivals.map(() => null);
    this.picks = [];
    /** Seconds of the calls that a policy sent elsewhere for comparison. */
    this.controlSeconds = [];
    this.events = 0;
    this.changed = new Set();
  }

  run() {
    const { arrivals, changes } = this.world;
    const { horizon } = this;
    let [nextArrival, nextChange, nextTick] = [0, 0, TICK_SECONDS];
    this.setRoutes();
    while (this.results.includes(null, this.firstOpen())) {
      const arrivalAt = arrivals[nextArrival]?.at ?? Infinity;
      const changeAt = changes[nextChange]?.at ?? Infinity;
      const stepAt = this.nextStep();
      const at = Math.min(arrivalAt, changeAt, nextTick, stepAt);
      if (at > horizon) break;
      this.advance(at);
      this.events += 1;
      // At one moment: the world changes, calls move on, then the tracker looks, then new calls come.
      if (at === changeAt) this.change(changes[nextChange++]);
      else if (at === stepAt) this.step();
      else if (at === nextTick) {
        nextTick += TICK_SECONDS;
        this.tick();
      } else this.arrive(arrivals[nextArrival++]);
      this.refreshRates();
    }
    this.advance(Math.max(this.now, Math.min(horizon, Infinity)));
    return this.close();
  }

  /** Index of the first arrival without a result; those before it are looked at once. */
  firstOpen() {
    let at = this.open;
    while (at < this.results.length && this.results[at] !== null) at += 1;
    return (this.open = at);
  }

  nextStep() {
    let least = Infinity;
    for (const call of this.active) {
      if (call.rate <= 0) continue;
      const at = this.now + Math.max(0, call.left) / call.rate;
      if (at >= least) continue;
      least = at;
      this.stepping = call;
    }
    return least;
  }

  advance(at) {
    const passed = at - this.now;
    if (passed > 0) for (const call of this.active) call.left -= call.rate * passed;
    this.now = at;
  }

  step() {
    const call = this.stepping;
    if (call.phase === 'prompt') {
      call.phase = 'answer';
      call.left = call.request.outputTokens;
      call.firstTokenAt = this.now;
      this.setRate(call);
      if (call.request.isStream) this.policy.firstToken?.(call, this, this.now);
      return;
    }
    this.leave(call);
    this.policy.finished?.(call, this, this.now);
    if (call.mode === 'control') this.controlSeconds.push(this.now - call.request.at);
    this.settle(call.request, 'finished');
    this.serveQueue();
  }

  tick() {
    for (const call of this.active) this.policy.ticked?.(call, this, this.now);
    this.serveQueue();
  }

  arrive(request) {
    if (this.queue.length > 0) this.enqueue(request);
    else if (!this.place(request, 1)) this.enqueue(request);
  }

  enqueue(request) {
    if (this.queue.length >= this.queueLength) this.settle(request, 'refused');
    else this.queue.push(request);
  }

  serveQueue() {
    while (this.queue.length > 0) {
      const [request] = this.queue;
      const isLate = this.now - request.at > this.queueSeconds;
      if (!isLate && !this.place(request, 1)) return;
      this.queue.shift();
      if (isLate) this.settle(request, 'refused');
    }
  }

  /** @returns false when the policy lets the request wait */
  place(request, attempt) {
    if (this.routes.length === 0) {
      this.settle(request, 'refused');
      return true;
    }
    const index = this.policy.pick(request, this.routes, this, this.now);
    if (index === null) return false;
    const route = this.routes[index];
    const nodes = route.hops.map(({ machine }) => this.nodes[machine]);
    const call = new RunningCall(request, route, nodes, attempt, this.now);
    for (const node of nodes) node.held += 1;
    this.picks.push({ at: this.now, route });
    this.active.push(call);
    this.policy.started?.(call, this, this.now);
    this.enter(call);
    return true;
  }

  /** Goes on taking places, hop by hop, until it has to stand in line or may begin. */
  enter(call) {
    while (call.entered < call.nodes.length) {
      const node = call.nodes[call.entered];
      if (this.world.nodeModel === 'slots' && node.running >= node.machine.slots) {
        node.line.push(call);
        return;
      }
      this.occupy(call, node);
    }
    call.phase = 'prompt';
    this.setRate(call);
  }

  occupy(call, node) {
    node.running += 1;
    call.entered += 1;
    this.changed.add(node);
  }

  leave(call) {
    this.active.splice(this.active.indexOf(call), 1);
    call.nodes.forEach((node, at) => {
      node.held -= 1;
      if (at < call.entered) node.running -= 1;
      else if (at === call.entered) node.line.splice(node.line.indexOf(call), 1);
      this.changed.add(node);
    });
    for (const node of call.nodes) this.admitFrom(node);
  }

  admitFrom(node) {
    while (node.line.length > 0 && node.up && node.running < node.machine.slots) {
      const next = node.line.shift();
      this.occupy(next, node);
      this.enter(next);
    }
  }

  change({ machine, factor, up }) {
    const node = this.nodes[machine];
    if (factor !== undefined) node.factor = factor;
    this.changed.add(node);
    if (up === undefined || up === node.up) return;
    node.up = up;
    this.setRoutes();
    if (up) return;
    for (const call of this.active.filter(({ nodes }) => nodes.includes(node))) {
      this.leave(call);
      this.policy.failed?.(call, this, this.now);
      if (call.attempt >= MOST_ATTEMPTS) this.settle(call.request, 'refused');
      else if (!this.place(call.request, call.attempt + 1)) this.enqueue(call.request);
    }
  }

  setRoutes() {
    this.routes = this.world.routesAt(this.nodes.map(({ up }) => up));
    this.policy.routesChanged?.(this.routes, this.now);
  }

  slowdown(node, calls) {
    return this.world.nodeModel === 'linear' ? 1 + node.machine.slope * (calls - 1) : 1;
  }

  refreshRates() {
    if (this.changed.size === 0) return;
    for (const call of this.active) {
      if (call.rate > 0 && call.nodes.some((node) => this.changed.has(node))) this.setRate(call);
    }
    this.changed.clear();
  }

  setRate(call) {
    let seconds = 0;
    for (let at = 0; at < call.nodes.length; at += 1) {
      const node = call.nodes[at];
      const { layerSeconds, prefillRatio, hopSeconds } = node.machine;
      const token =
        layerSeconds * call.route.hops[at].layers * node.factor * this.slowdown(node, node.running);
      seconds += call.phase === 'prompt' ? token * prefillRatio : token + hopSeconds;
    }
    call.rate = 1 / seconds;
  }

  settle(request, outcome) {
    this.results[request.id] = { outcome, seconds: this.now - request.at };
  }

  close() {
    const { arrivals } = this.world;
    this.results.forEach((result, id) => {
      if (result === null) {
        const seconds = Math.max(0, this.now - arrivals[id].at);
        this.results[id] = { outcome: 'unfinished', seconds };
      }
    });
    return {
      results: this.results,
      picks: this.picks,
      controlSeconds: this.controlSeconds,
      events: this.events,
      seconds: this.now,
    };
  }
}

/** Seconds that a request would take on an otherwise empty mesh whose nodes run at these factors. */
export function unloadedSeconds(request, route, machines, factorOf = () => 1) {
  return route.hops.reduce((sum, { machine, layers }) => {
    const { layerSeconds, prefillRatio, hopSeconds } = machines[machine];
    const token = layerSeconds * layers * factorOf(machine);
    return sum + request.promptTokens * token * prefillRatio + request.outputTokens * (token + hopSeconds);
  }, 0);
}
