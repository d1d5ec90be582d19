/**
 * What nodes cost the tracker that send no chats: a thousand heartbeats a second, and a model of a thousand nodes of
 * which one comes or goes a hundred times a second. Prints figures; it is no test.
 *
 *     npm run bench:control-plane        (--markdown FILE --seconds 10 --nodes 1000)
 */
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuMicros, end, rssMebibytes } from './relay/processes.mjs';
import { Figures, progress } from './scale/figures.mjs';
import { JsonLine } from './scale/json-line.mjs';
import { MODEL, registrations } from './scale/mesh.mjs';
import { startTracker } from './scale/tracker.mjs';

const { values } = parseArgs({
  options: {
    markdown: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '1000' },
  },
});
const seconds = Number(values.seconds);
const bodies = registrations(Number(values.nodes));
const ROUTING = `/v1/routing?model=${encodeURIComponent(MODEL)}`;
const BUMPS_A_SECOND = 100;
const LOOKS_A_SECOND = 20;
const figures = new Figures();

await heartbeats();
await bumps();
await figures.print('Control plane', values.markdown);

/** Each node on a connection of its own, one beat a second, spread evenly. */
async function heartbeats() {
  const { child, url, pid } = await startTracker();
  const lines = bodies.map(() => new JsonLine(url));
  const leases = await registered(lines);
  progress(`${leases.length} nodes registered`);
  const beat = (at) => {
    const node = at % lines.length;
    return lines[node].call('PUT', `/v1/leases/${leases[node]}`, { queue_depth: at % 4, throughput_tps: 30 });
  };
  await paced(lines.length, 2, beat);
  const load = await measured(pid, () => paced(lines.length, seconds, beat));
  add(`${lines.length} nodes that heartbeat each second`, load, 15, `${load.micros.toFixed(0)} µs each`);
  figures.add('resident after that', rssMebibytes(pid), { unit: 'MiB' });
  for (const line of lines) line.close();
  await end(child);
}

/** One more node joins and leaves in turn, and somebody keeps looking at the routes. */
async function bumps() {
  const counter = pathToFileURL(resolve(import.meta.dirname, 'scale/count-rebuilds.mjs')).href;
  const { child, url, pid } = await startTracker({ node: ['--import', counter] });
  const [first, ...others] = Array.from({ length: 4 }, () => new JsonLine(url));
  await registered(bodies.map(() => first));
  const [guest] = registrations(bodies.length + 1).slice(-1);
  let lease = null;
  let turn = Promise.resolve();
  const comeOrGo = async () => {
    if (lease === null) lease = (await first.call('POST', '/v1/nodes', guest)).lease_id;
    else lease = await first.call('DELETE', `/v1/leases/${lease}`);
  };
  const stormFor = (time) =>
    Promise.all([
      paced(BUMPS_A_SECOND, time, () => (turn = turn.then(comeOrGo))),
      paced(LOOKS_A_SECOND, time, (at) => others[at % others.length].call('GET', ROUTING)),
    ]);
  const epoch = async () => (await first.call('GET', ROUTING)).models[0].epoch;
  const rebuilds = async () => {
    child.said = '';
    child.kill('SIGUSR2');
    while (!/rebuilds \d+/.test(child.said)) await pause(10);
    return Number(/rebuilds (\d+)/.exec(child.said)[1]);
  };
  await stormFor(2);
  const before = [await epoch(), await rebuilds()];
  const load = await measured(pid, () => stormFor(seconds));
  const after = [await epoch(), await rebuilds()];
  const [bumped, rebuilt] = after.map((count, at) => (count - before[at]) / load.seconds);
  add(`${BUMPS_A_SECOND} joins and leaves a second among ${bodies.length} nodes`, load, 20);
  figures.add('epochs a second', bumped, { unit: '/s' });
  figures.add(`rebuilds of candidates, of ${LOOKS_A_SECOND} looks a second`, rebuilt, { unit: '/s' });
  for (const line of [first, ...others]) line.close();
  await end(child);
}

/** @returns the leases */
async function registered(lines) {
  const leases = [];
  for (const [at, body] of bodies.entries()) {
    leases.push((await lines[at].call('POST', '/v1/nodes', body)).lease_id);
  }
  return leases;
}

/** So many acts a second for so long, each started at its time whatever the others do; waits for all to end. */
async function paced(perSecond, time, act) {
  const startedAt = performance.now();
  const acts = [];
  for (let at = 0; at < perSecond * time;) {
    const due = Math.min(((performance.now() - startedAt) / 1000) * perSecond, perSecond * time);
    for (; at < due; at += 1) acts.push(act(at));
    await pause(1);
  }
  await Promise.all(acts);
  return acts.length;
}

/** What the process used of a core meanwhile. */
async function measured(pid, run) {
  const [cpu, at] = [cpuMicros(pid), performance.now()];
  const acts = await run();
  const time = (performance.now() - at) / 1000;
  const used = cpuMicros(pid) - cpu;
  return { percent: used / time / 10_000, micros: used / acts, seconds: time };
}

function add(what, { percent }, limit, more) {
  figures.add(what, percent, { unit: '% of a core', limit, more });
}
