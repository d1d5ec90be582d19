/**
 * How long the tracker takes to be ready and what it holds then, beside a bare Nest app in the same run. Prints figures;
 * it is no test.
 *
 *     npm run bench:startup              (--markdown FILE --runs 7)
 */
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuMicros, end, freePort, rssMebibytes, start } from './relay/processes.mjs';
import { Figures, progress } from './scale/figures.mjs';

const { values } = parseArgs({
  options: {
    markdown: { type: 'string' },
    runs: { type: 'string', default: '7' },
  },
});
const ROOT = resolve(import.meta.dirname, '..');
const PROGRAMS = {
  bare: (port) => [join(import.meta.dirname, 'bare-nest.mjs'), String(port)],
  tracker: (port) => [join(ROOT, 'dist/main.js'), '--port', String(port)],
};
const LOOK_MS = 2;
const IDLE_MS = 3000;
const figures = new Figures();

await startUp();
await figures.print('Start-up', values.markdown);

/** In turn, so that whatever else the machine does meets both. */
async function startUp() {
  const seen = { bare: [], tracker: [] };
  for (let run = 1; run <= Number(values.runs); run += 1) {
    for (const name of Object.keys(PROGRAMS)) {
      const one = await startedOnce(name);
      seen[name].push(one);
      progress(`run ${run}, ${name}: ready after ${one.readyMs.toFixed(0)} ms, ${one.rss.toFixed(0)} MiB`);
    }
  }
  const middle = (name, key) => median(seen[name].map((one) => one[key]));
  const ms = { unit: 'ms', decimals: 0 };
  figures.add('a bare Nest app is ready after', middle('bare', 'readyMs'), ms);
  figures.add('the tracker is ready after', middle('tracker', 'readyMs'), ms);
  const ratio = middle('tracker', 'readyMs') / middle('bare', 'readyMs');
  figures.add('of the bare app’s time', ratio, { unit: '×', limit: 2, decimals: 2 });
  const cpu = `${(middle('tracker', 'cpuMs') / middle('bare', 'cpuMs')).toFixed(2)} × the bare app’s`;
  figures.add('CPU the tracker used until then', middle('tracker', 'cpuMs'), { ...ms, more: cpu });
  figures.add('resident when idle: a bare Nest app', middle('bare', 'rss'), { unit: 'MiB', decimals: 0 });
  figures.add('resident when idle: the tracker', middle('tracker', 'rss'), {
    ...{ unit: 'MiB', decimals: 0, limit: 180 },
  });
}

async function startedOnce(name) {
  const port = await freePort();
  const at = performance.now();
  const child = start(process.execPath, PROGRAMS[name](port), {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start: ${child.said}`);
    await pause(LOOK_MS);
  }
  const readyMs = performance.now() - at;
  const cpuMs = cpuMicros(child.pid) / 1000;
  await pause(IDLE_MS);
  const rss = rssMebibytes(child.pid);
  await end(child);
  return { readyMs, cpuMs, rss };
}

function isReady(port) {
  return new Promise((answer) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    }).on('error', () => answer(false));
  });
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
