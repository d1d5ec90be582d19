/**
 * What the tracker costs beside a plain Node pipe, nginx and another gateway: CPU a request of the process in the
 * middle, requests/s, added time, memory; each target in turn, several rounds, the same load and the same upstream.
 *
 *     npm run bench            (--rounds 3 --seconds 4 --markdown FILE --only pipe,tracker)
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { flatOut, paced } from './relay/load.mjs';
import { REQUEST_JSON, REQUEST_STREAM } from './relay/payloads.mjs';
import { cpuMicros, end, rssMebibytes, saying, start } from './relay/processes.mjs';
import { TARGETS } from './relay/targets.mjs';
import { reportOf } from './relay/report.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    markdown: { type: 'string' },
    only: { type: 'string', default: Object.keys(TARGETS).join() },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const LOADS = { json: REQUEST_JSON, stream: REQUEST_STREAM };

const upstream = start(process.execPath, [new URL('relay/upstream.mjs', import.meta.url).pathname]);
const upstreamPort = Number(await saying(upstream, /^(\d+)$/m));
/** One figure set per target, load and round. */
const cells = [];
const names = values.only.split(',');
for (let round = 1; round <= rounds; round += 1) {
  for (const name of names) await withTarget(name, (target) => flatOutCells(name, target, round));
}
/** Half of what the tracker can do at most: so all of them are asked the same. */
const most = cells.filter(({ name, load }) => name === 'tracker' && load === 'json');
const rate = Math.round(Math.min(...most.map(({ perSecond }) => perSecond)) / 2);
for (let round = 1; round <= rounds && most.length > 0; round += 1) {
  for (const name of names) {
    await withTarget(name, async (target) => {
      await paced(target, REQUEST_JSON, rate, 1);
      cells.push({
        ...{ name, load: 'paced', round, rate },
        ...(await paced(target, REQUEST_JSON, rate, seconds)),
      });
      say(`round ${round} ${name} at ${rate}/s: done`);
    });
  }
}
await end(upstream);
const report = reportOf(cells, {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  node: process.version,
  rounds,
  seconds,
});
console.log(`\n${report}`);
if (values.markdown !== undefined) writeFileSync(values.markdown, report);

async function withTarget(name, measure) {
  const target = await TARGETS[name](upstreamPort);
  if (target === null) return say(`${name}: not installed here`);
  try {
    await measure(target);
  } finally {
    await target.end();
  }
}

async function flatOutCells(name, target, round) {
  const { pid } = target;
  for (const [load, body] of Object.entries(LOADS)) {
    // Code is compiled and connections are opened first.
    await flatOut(target, body, 2);
    const before = pid === null ? 0 : cpuMicros(pid);
    const flat = await flatOut(target, body, seconds);
    const cpu = pid === null ? null : (cpuMicros(pid) - before) / flat.requests;
    cells.push({
      ...{ name, load, round, ...flat },
      ...{ cpuMicros: cpu, rss: pid === null ? null : rssMebibytes(pid) },
    });
    const figures = [`${flat.perSecond.toFixed(0)}/s`, `${cpu?.toFixed(0) ?? '–'} µs CPU`];
    say(`round ${round} ${name} ${load}: ${figures.join(', ')}, ${flat.errors} errors`);
  }
}

function say(line) {
  console.error(line);
}
