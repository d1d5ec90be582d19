/**
 * What the tracker costs beside a plain Node pipe, nginx and another gateway: CPU a request of the process in the
 * middle, requests/s, added time, memory; the same load and the same upstream for all.
 *
 *     npm run bench            (--rounds 5 --seconds 3 --warm-up 8 --only pipe,tracker --markdown FILE)
 *
 * All targets run from the start, are warmed up, and then take turns within each round: what else the machine does
 * meets all of them, and a ratio is that of two neighbours in time. `--markdown` puts the tables between the marks of
 * `relay` in that file.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { flatOut, paced } from './relay/load.mjs';
import { REQUEST_JSON, REQUEST_STREAM } from './relay/payloads.mjs';
import { cpuMicros, end, rssMebibytes, saying, start } from './relay/processes.mjs';
import { TARGETS } from './relay/targets.mjs';
import { reportOf, LOAD_NAMES } from './relay/report.mjs';
import { putSection } from './scale/section.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '8' },
    markdown: { type: 'string' },
    only: { type: 'string', default: Object.keys(TARGETS).join() },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const warmUp = Number(values['warm-up']);
const BODIES = { json: REQUEST_JSON, stream: REQUEST_STREAM };

const upstream = start(process.execPath, [new URL('relay/upstream.mjs', import.meta.url).pathname]);
const upstreamPort = Number(await saying(upstream, /^(\d+)$/m));
/** One set of figures per target, load and round. */
const cells = [];
const targets = await startAll(values.only.split(','));
for (const load of Object.keys(BODIES)) {
  for (const { name, target } of targets) {
    say(`${name}: warming up for the ${LOAD_NAMES[load]}, ${warmUp} s`);
    // Code is compiled and connections are opened first.
    await flatOut(target, BODIES[load], warmUp);
  }
  await eachInTurn((one, round) => flatOutCell(one, load, round));
  const rate = halfOfMost(load);
  if (rate === null) continue;
  // One that can't do so many would still be at work on them in its neighbour's turn.
  const able = targets.filter(({ name }) => mostOf(name, load) > 1.5 * rate);
  await eachInTurn((one, round) => pacedCell(one, load, round, rate), able);
}
for (const { target } of targets) await target.end();
await end(upstream);

const [cpu] = cpus();
const report = reportOf(cells, {
  machine: `${cpus().length} × ${cpu?.model}, load ${loadavg()[0].toFixed(1)}`,
  node: process.version,
  versions: targets.map(({ name, target }) => `${name} ${target.version ?? ''}`.trim()),
  date: new Date().toISOString().slice(0, 10),
  rounds,
  seconds,
});
console.log(`\n${report}`);
if (values.markdown !== undefined) await putSection(values.markdown, 'relay', report);

async function startAll(names) {
  const started = [];
  for (const name of names) {
    const target = await TARGETS[name](upstreamPort);
    if (target === null) say(`${name}: not installed here, left out`);
    else started.push({ name, target });
  }
  return started;
}

async function eachInTurn(measure, among = targets) {
  for (let round = 1; round <= rounds; round += 1) for (const one of among) await measure(one, round);
}

/** Half of what the tracker can do at most: all of them are asked the same. */
function halfOfMost(load) {
  const most = mostOf('tracker', load);
  return most === null ? null : Math.round(most / 2);
}

/** Requests/s, the median of the rounds so far; null where answers were errors. */
function mostOf(name, load) {
  const mine = cells.filter((cell) => cell.name === name && cell.load === load && cell.errors === 0);
  const sorted = mine.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

async function flatOutCell({ name, target }, load, round) {
  const { pid } = target;
  const before = pid === null ? 0 : cpuMicros(pid);
  const flat = await flatOut(target, BODIES[load], seconds);
  const used = pid === null ? null : (cpuMicros(pid) - before) / flat.requests;
  const rss = pid === null ? null : rssMebibytes(pid);
  cells.push({ kind: 'flat out', name, load, round, ...flat, cpuMicros: used, rss });
  const figures = [`${flat.perSecond.toFixed(0)}/s`, `${used?.toFixed(0) ?? '–'} µs CPU`];
  say(`${load}, round ${round}/${rounds}, ${name}: ${figures.join(', ')}, ${flat.errors} errors`);
}

async function pacedCell({ name, target }, load, round, rate) {
  const timed = await paced(target, BODIES[load], rate, seconds);
  cells.push({ kind: 'paced', name, load, round, rate, ...timed });
  const [p50, p99] = [timed.p50Ms, timed.p99Ms].map((ms) => ms.toFixed(2));
  say(`${load} at ${rate}/s, round ${round}/${rounds}, ${name}: p50 ${p50} ms, p99 ${p99} ms`);
}

function say(line) {
  console.error(line);
}
