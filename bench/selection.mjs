/**
 * What choosing, enumerating and showing routes cost, and how that grows with the mesh. Prints figures; it is no test.
 *
 *     npm run bench:selection            (--markdown FILE --milliseconds 1000, the time for each figure)
 */
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import { enumerateDiverse } from '../dist/candidate-enumeration/diverse.js';
import { enumerateGreedy } from '../dist/candidate-enumeration/greedy.js';
import { CandidatesService } from '../dist/candidate-enumeration/index.js';
import { seededRng } from '../dist/kernel/index.js';
import { RegistryService, specOfRegistration } from '../dist/registry/index.js';
import { POLICIES, RoutingService } from '../dist/routing/index.js';
import { RoutingStatsService } from '../dist/routing-stats/index.js';
import { RoutingTableService } from '../dist/routing/routing-table.service.js';
import { TopologyService } from '../dist/topology/index.js';
import { end } from './relay/processes.mjs';
import { Figures } from './scale/figures.mjs';
import { MODEL, registrations, SHAPES, specs } from './scale/mesh.mjs';
import { startTracker } from './scale/tracker.mjs';
import { stageTracker } from './staged-tracker.mjs';

const SIZES = [10, 100, 1_000, 5_000];
/** The size that the limits are set for. */
const LIMITED = 1_000;
const { values } = parseArgs({
  options: { markdown: { type: 'string' }, milliseconds: { type: 'string', default: '1000' } },
});
const time = Number(values.milliseconds);
const figures = new Figures();

await chooseAmongEight();
for (const policy of Object.keys(POLICIES)) await chooseAmongServers(LIMITED, policy);
for (const size of SIZES) await inProcess(size);
await hardest(LIMITED);
for (const size of SIZES) await overHttp(size);
await figures.print('Choosing and enumerating', values.markdown);

/** @returns the median of each task, in ms */
async function medians(tasks, async = false) {
  const bench = new Bench({ time, warmupTime: time / 4, throws: true });
  for (const [name, task] of Object.entries(tasks)) bench.add(name, task, { async });
  await bench.run();
  return Object.fromEntries(bench.tasks.map(({ name, result }) => [name, result.latency.p50]));
}

/** Thousand choices an iteration: one alone is too short for the clock. */
async function chooseAmongEight() {
  const candidates = Array.from({ length: 8 }, (_, at) => ({
    signature: `${MODEL}|owner-${at}:0-49[0-49]->owner-${at + 8}:50-99[50-99]`,
    hopCount: 2,
    priorTps: 10 + at,
    status: at < 6 ? 'proven' : 'decayed',
    tps: 20 - at,
    mass: at < 6 ? 3 : 0.4,
    scoutsInFlight: 0,
    barred: false,
  }));
  const settings = { exploreShare: 0.3, weightAlpha: 1 };
  const rng = seededRng(1);
  const thousand = () => {
    for (let times = 0; times < 1000; times += 1) POLICIES.proportional.choose(candidates, settings, rng);
  };
  const { choose } = await medians({ choose: thousand });
  figures.add('choose over 8 candidates, proportional', choose, { unit: 'µs', limit: 5, decimals: 2 });
}

/** Servers of a whole model are all candidates. Half of them are proven. */
async function chooseAmongServers(size, policy) {
  const staged = await stageTracker({ MESHNET_ROUTE_POLICY: policy });
  const room = (type) => staged.tracker.app.get(type);
  for (let at = 0; at < size; at += 1) {
    room(RegistryService).register(specOfRegistration(server(at)));
  }
  const stats = room(RoutingStatsService);
  const epoch = room(TopologyService).epoch(MODEL);
  for (const [at, { signature }] of room(CandidatesService).candidates(MODEL).entries()) {
    const sample = { model: MODEL, signature, tps: 10 + (at % 50), weight: 1, epoch, isPinned: false };
    if (at % 2 === 0) stats.record(sample);
  }
  const ms = await medians({
    decide: () => room(RoutingService).decide(MODEL, null),
    table: () => room(RoutingTableService).tables(MODEL),
    rebuild: () => room(CandidatesService).candidatesWithout(MODEL, new Set()),
  });
  await staged.stop();
  const limit = policy === 'proportional' ? { limit: 500 } : {};
  figures.add(`${size} servers: one decision, ${policy}`, ms.decide * 1000, { unit: 'µs', ...limit });
  if (policy !== 'proportional') return;
  figures.add(`${size} servers: routing table in the process`, ms.table, { unit: 'ms', decimals: 3 });
  figures.add(`${size} servers: candidates built anew`, ms.rebuild, { unit: 'ms', decimals: 3, limit: 5 });
}

function server(at) {
  const endpoint = `http://10.0.${at >> 8}.${at & 255}:8000`;
  return { wallet: `owner-${at}`, endpoint, model: MODEL, max_concurrent: 8, throughput_tps: 10 + (at % 90) };
}

async function inProcess(size) {
  const staged = await stageTracker();
  const room = (type) => staged.tracker.app.get(type);
  const registry = room(RegistryService);
  const topology = room(TopologyService);
  for (const spec of specs(size)) registry.register(spec);
  const [extra] = specs(size + 1).slice(-1);
  const bump = () => registry.deregister(registry.register(extra).leaseId);
  const bumpAndView = () => {
    bump();
    topology.view(MODEL);
  };
  const ms = await medians({
    ...enumerating(staged),
    decide: () => room(RoutingService).decide(MODEL, null),
    table: () => room(RoutingTableService).tables(MODEL),
    bump,
    bumpAndView,
  });
  await staged.stop();
  addEnumerating(`${size} nodes`, size, ms);
  const add = (what, value, unit) => figures.add(`${size} nodes: ${what}`, value, { unit, decimals: 3 });
  add('routing table in the process', ms.table, 'ms');
  add('one decision', ms.decide * 1000, 'µs');
  add('one join and leave', ms.bump * 1000, 'µs');
  add('the same, and the view anew', ms.bumpAndView * 1000, 'µs');
}

/** Half of the nodes are heads, and each route has a hop a layer: nothing takes more work. */
async function hardest(size) {
  const staged = await stageTracker();
  for (const spec of specs(size, SHAPES.thin)) staged.tracker.app.get(RegistryService).register(spec);
  const ms = await medians(enumerating(staged));
  await staged.stop();
  addEnumerating(`${size} nodes of one layer each`, size, ms);
}

/** Also with all that a new epoch brings about beside it, and with no storm to coalesce that. */
function enumerating({ tracker: { app } }) {
  const view = app.get(TopologyService).view(MODEL);
  return {
    enumerate: () => enumerateGreedy(view),
    diverse: () => enumerateDiverse(view, 12),
    rebuild: () => app.get(CandidatesService).candidatesWithout(MODEL, new Set()),
  };
}

function addEnumerating(title, size, ms) {
  const shown = { unit: 'ms', decimals: 3, ...(size === LIMITED ? { limit: 5 } : {}) };
  figures.add(`${title}: greedy enumeration`, ms.enumerate, shown);
  figures.add(`${title}: diverse enumeration, 12 routes`, ms.diverse, {
    ...shown,
    ...(size === LIMITED ? { limit: 30 } : {}),
  });
  figures.add(`${title}: candidates built anew (enumerated, capped)`, ms.rebuild, shown);
}

async function overHttp(size) {
  const { child, url } = await startTracker();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const body of registrations(size)) await call(agent, 'POST', `${url}/v1/nodes`, body);
    const path = `/v1/routing?model=${encodeURIComponent(MODEL)}`;
    const { read } = await medians({ read: () => call(agent, 'GET', url + path) }, true);
    figures.add(`${size} nodes: GET /v1/routing`, read, {
      unit: 'ms',
      decimals: 2,
      ...(size === LIMITED ? { limit: 10 } : {}),
    });
  } finally {
    agent.destroy();
    await end(child);
  }
}

function call(agent, method, url, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { method, agent, headers }, (answer) => {
      if (answer.statusCode > 299) reject(new Error(`${method} ${url} answered ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
