/**
 * What the tracker costs beside a plain Node pipe, nginx and another gateway: CPU a request of the process in the
 * middle, requests/s, added time, memory; the same load and the same upstream for all.
 *
 *     npm run bench            (--rounds 5 --seconds 3 --warm-up 8 --only pipe,tracker --markdown FILE)
 *
 * All targets run from the start, are warmed up, and then take turns within each round, each round beginning with
 * another: what else the machine does meets all of them, and a ratio is that of two neighbours in time. `--markdown`
 * puts the tables between the marks of `relay` in that file.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { flatOut, startSender } from './relay/load.mjs';
import { REQUEST_JSON, REQUEST_STREAM } from './relay/payloads.mjs';
import { cpuMicros, end, rssMebibytes, saying, start } from './relay/processes.mjs';
import { TARGETS } from './relay/targets.mjs';
import { LEAST_OF_RATE, reportOf, LOAD_NAMES } from './relay/report.mjs';
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

/** What one leaves behind when its load ends must not fall into its neighbour's turn. */
const SETTLE_MS = 200;

const loadBefore = loadavg()[0].toFixed(1);
const sender = startSender();
const upstream = start(process.execPath, [new URL('relay/upstream.mjs', import.meta.url).pathname]);
const upstreamPort = Number(await saying(upstream, /^(\d+)$/m));
/** One set of figures per target, load and round. */
const cells = [];
/** Paced cells that may be taken again, so that a bad hour does not make the bench endless. */
let repeatsLeft = 0;
const targets = await startAll(values.only.split(','));
for (const load of Object.keys(BODIES)) {
  const answering = [];
  for (const one of targets) {
    say(`${one.name}: warming up for the ${LOAD_NAMES[load]}, ${warmUp} s`);
    // Code is compiled and connections are opened first.
    const { requests, errors } = await flatOut(one.target, BODIES[load], warmUp);
    if (errors < requests) answering.push(one);
    // Once is enough to say so.
    else await flatOutCell(one, load, 1);
  }
  await eachInTurn((one, round) => flatOutCell(one, load, round), answering);
  const rate = halfOfMost(load);
  if (rate === null) continue;
  // One that can't do so many would still be at work on them in its neighbour's turn.
  const able = answering.filter(({ name }) => mostOf(name, load) > 1.5 * rate);
  repeatsLeft = rounds;
  await eachInTurn((one, round) => pacedCell(one, load, round, rate), able);
}
for (const { target } of targets) await target.end();
await sender.end();
await end(upstream);

const [cpu] = cpus();
const report = reportOf(cells, {
  machine: `${cpus().length} × ${cpu?.model}, load ${loadBefore} before and ${loadavg()[0].toFixed(1)} after`,
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

async function eachInTurn(measure, among) {
  for (let round = 1; round <= rounds; round += 1) {
    for (let turn = 0; turn < among.length; turn += 1) {
      await sleep(SETTLE_MS);
      await measure(among[(round - 1 + turn) % among.length], round);
    }
  }
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
  let timed = await timedAndWeighed(target, load, rate);
  // The machine may have stood still: once more, and if that is no better it stands in the table with a mark.
  if (timed.ofRate < LEAST_OF_RATE && repeatsLeft > 0) {
    repeatsLeft -= 1;
    const again = await timedAndWeighed(target, load, rate);
    if (again.ofRate > timed.ofRate) timed = again;
  }
  cells.push({ kind: 'paced', name, load, round, rate, ...timed });
  const [p50, p99] = [timed.p50Ms, timed.p99Ms].map((ms) => ms.toFixed(2));
  const missing = `late ${timed.late}, no connection ${timed.noLine}, unanswered ${timed.unanswered}`;
  const achieved = `${(100 * timed.ofRate).toFixed(1)} % of the rate (${missing})`;
  say(
    `${load} at ${rate}/s, round ${round}/${rounds}, ${name}: p50 ${p50} ms, p99 ${p99} ms, ${achieved}, ${timed.senderMicros.toFixed(0)} µs CPU of the sender, ${timed.errors} errors`,
  );
}

async function timedAndWeighed({ pid, ...target }, load, rate) {
  const before = pid === null ? 0 : cpuMicros(pid);
  const timed = await sender.send(target, BODIES[load], rate, seconds);
  return { ...timed, cpuMicros: pid === null ? null : (cpuMicros(pid) - before) / timed.answers };
}

function say(line) {
  console.error(line);
}
