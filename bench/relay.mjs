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
let rate = null;
for (let round = 1; round <= rounds; round += 1) {
  for (const name of values.only.split(',')) await measure(name, round);
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

async function measure(name, round) {
  const target = await TARGETS[name](upstreamPort);
  if (target === null) return say(`${name}: not installed here`);
  try {
    for (const [load, body] of Object.entries(LOADS)) {
      await flatOut(target, body, 1);
      const before = target.pid === null ? 0 : cpuMicros(target.pid);
      const flat = await flatOut(target, body, seconds);
      const cpu = target.pid === null ? null : (cpuMicros(target.pid) - before) / flat.requests;
      const cell = {
        name,
        load,
        round,
        ...flat,
        cpuMicros: cpu,
        rss: target.pid === null ? null : rssMebibytes(target.pid),
      };
      cells.push(cell);
      say(
        `round ${round} ${name} ${load}: ${flat.perSecond.toFixed(0)}/s, ${cpu?.toFixed(0) ?? '–'} µs CPU, ${flat.errors} errors`,
      );
    }
    if (name === 'tracker')
      rate ??= Math.round(cells.find((cell) => cell.name === name && cell.load === 'json').perSecond / 2);
    if (rate !== null)
      cells.push({ name, load: 'paced', round, rate, ...(await paced(target, REQUEST_JSON, rate, seconds)) });
  } finally {
    await target.end();
  }
}

function say(line) {
  console.error(line);
}
