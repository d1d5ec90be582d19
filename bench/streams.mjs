/**
 * Thousands of streams at once through one tracker, one token a second each: whether all of them arrive whole, how much
 * later a token arrives than it was sent while all of them are open, and what the tracker needs for that. Prints
 * figures; it is no test.
 *
 *     npm run bench:streams              (--markdown FILE --seconds 60 --streams 1000,4500,9000 --without-heap)
 *
 * The same streams without the tracker in between stand beside: what head and clients take is in both.
 */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { cpuMicros, end, saying, start } from './relay/processes.mjs';
import { Figures, progress } from './scale/figures.mjs';
import { startTracker } from './scale/tracker.mjs';

const { values } = parseArgs({
  options: {
    markdown: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    streams: { type: 'string', default: '1000,4500,9000' },
    'without-heap': { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
/** Opened faster, connections would wait to be accepted behind the tokens of those that are open. */
const OPENED_A_SECOND = 500;
/** A stream has two of the tracker's; so many more it has for itself. */
const DESCRIPTORS_A_STREAM = 2;
const OWN_DESCRIPTORS = 100;
const WARM_STREAMS = 500;
const figures = new Figures();

for (const asked of values.streams.split(',').map(Number)) await measure(asked);
if (!values['without-heap']) await heap();
await figures.print(
  `Many streams, one token a second, all open for ${seconds} s`,
  values.markdown,
  'streams',
);

async function measure(asked) {
  const upstream = start(process.execPath, [program('upstream.mjs')]);
  const head = `http://127.0.0.1:${await saying(upstream, /^(\d+)$/m)}`;
  const { child, url, pid } = await startTracker({
    args: ['--node', head],
    env: { MESHNET_MAX_IN_FLIGHT: '20000', MESHNET_NODE_MAX_CONNECTIONS: '20000' },
  });
  const most = Math.floor((openFilesLimit(pid) - OWN_DESCRIPTORS) / DESCRIPTORS_A_STREAM);
  const count = Math.min(asked, most);
  const title = `${count} streams${count < asked ? ` (no more within the limit of open files; asked: ${asked})` : ''}`;
  // One token a second: all are open for so long at least, opened at half of that pace.
  const tokens = seconds + 2 * Math.ceil(count / OPENED_A_SECOND);
  progress(`${title}: directly …`);
  const direct = await followed(head, count, tokens);
  progress(`${title}: through the tracker …`);
  // What Node compiles at first is not what a stream costs.
  await followed(url, WARM_STREAMS, 2);
  const relayed = await followed(url, count, tokens, pid);
  add(title, { count, direct, relayed, peak: peakMegabytes(pid) });
  await end(child);
  await end(upstream);
}

function add(title, { count, direct, relayed, peak }) {
  const { lost, faults, open, opening, ending, cpu } = relayed;
  const told = [...faults, `${opening.tokens + open.tokens + ending.tokens} tokens arrived`].join(', ');
  const beside = (ms) => ({ unit: 'ms', decimals: 2, more: `directly ${ms?.toFixed(2) ?? 'not measured'}` });
  const shown = (what, ...figure) => figures.add(`${title}: ${what}`, ...figure);
  shown('lost', lost, { unit: 'streams', decimals: 0, limit: 0, more: told });
  shown('a token takes, p50', open.p50Ms, beside(direct.open.p50Ms));
  shown('a token takes, p99', open.p99Ms, { ...beside(direct.open.p99Ms), limit: 50 });
  shown('a token takes, longest', open.maxMs, beside(direct.open.maxMs));
  shown('p99 while others open', opening.p99Ms, beside(direct.opening.p99Ms));
  shown('p99 while others end', ending.p99Ms, beside(direct.ending.p99Ms));
  shown('most resident', peak, { unit: 'MB', limit: 500, decimals: 0 });
  const each = `${((cpu.percent * 10_000) / count).toFixed(0)} µs a token`;
  shown('CPU', cpu.percent, { unit: '% of a core', more: each });
}

/**
 * Opens the streams and waits for the last to end.
 *
 * @param {number} [pid] of whom to tell the CPU used while all streams are open
 */
async function followed(url, count, length, pid) {
  const numbers = [count, OPENED_A_SECOND, length].map(String);
  const clients = start(process.execPath, [program('clients.mjs'), url, ...numbers]);
  const marks = {};
  clients.stdout.on('data', (text) => {
    const mark = pid === undefined ? null : /^(open|ending)$/m.exec(text)?.[1];
    if (mark) marks[mark] = { micros: cpuMicros(pid), at: performance.now() };
  });
  const [code] = await once(clients, 'close');
  if (code !== 0) throw new Error(clients.said);
  return { ...JSON.parse(clients.said.trim().split('\n').at(-1)), cpu: cpuBetween(marks) };
}

function cpuBetween({ open, ending }) {
  if (open === undefined || ending === undefined) return { percent: NaN };
  return { percent: (ending.micros - open.micros) / (ending.at - open.at) / 10 };
}

/** The heap and slow-reader figures stand beside: what streams leave behind. */
async function heap() {
  progress('heap after thousands of calls …');
  const bench = start(process.execPath, [new URL('heap.mjs', import.meta.url).pathname]);
  await once(bench, 'close');
  const found = (pattern) => Number(pattern.exec(bench.said)?.[1]);
  figures.add('heap after 20,000 more calls', found(/grown by (-?[\d.]+) %/), { unit: '% more', limit: 10 });
  const unread = found(/RSS grown by (-?[\d.]+) MB/);
  figures.add('resident, while 200 MB are not read', unread, { unit: 'MB more', limit: 20 });
}

function program(name) {
  return new URL(`streams/${name}`, import.meta.url).pathname;
}

function openFilesLimit(pid) {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);
}

function peakMegabytes(pid) {
  return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
}
