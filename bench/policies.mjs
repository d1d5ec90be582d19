/**
 * Routing policies on production arrivals, in a simulated mesh, by the tracker's own code. Prints tables; writes charts and
 * docs/policies.md. It is no test.
 *
 *     npm run bench:policies              (--quick  --json FILE  --requests 3000  --threads 2  --seeds 1,2,3,4,5  --all-loads  --no-docs)
 *     node bench/policies.mjs --from FILE  (writes the page anew from the JSON of an earlier run)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { followJobs, plan } from './policies/plan.mjs';
import { runAll } from './policies/pool.mjs';
import { summarise } from './policies/summary.mjs';
import { printTables } from './policies/tables.mjs';
import { writePage } from './policies/page.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    requests: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
    seeds: { type: 'string' },
    'all-loads': { type: 'boolean', default: false },
    'no-docs': { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});
if (values.from !== undefined) {
  const { cells: rows, follows, ...made } = JSON.parse(readFileSync(values.from, 'utf8'));
  writePage(rows, follows, made);
  process.exit();
}
const requests = Number(values.requests ?? (values.quick ? 600 : 3000));
const seeds = (values.seeds ?? (values.quick ? '1' : '1,2,3,4,5')).split(',').map(Number);
const started = performance.now();
const cells = plan({ quick: values.quick, allLoads: values['all-loads'], requests, seeds });
const jobs = [
  ...cells.map((cell) => ({ kind: 'cell', cell })),
  ...followJobs({ quick: values.quick, requests, seeds }),
];
const answers = await runAll(jobs, Number(values.threads), (done) => showProgress(done, jobs.length));
const rows = summarise(answers.filter(({ kind }) => kind === 'cell').map(({ result }) => result));
const follows = answers.filter(({ kind }) => kind === 'follow').map(({ result }) => result);
const seconds = (performance.now() - started) / 1000;
printTables(rows, follows);
console.log(`\n${jobs.length} runs in ${seconds.toFixed(0)} s.`);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ requests, seeds, cells: rows, follows }, null, 1));
if (!values.quick && !values['no-docs']) writePage(rows, follows, { requests, seeds });

function showProgress(done, all) {
  if (!process.stderr.isTTY && done % 100 !== 0 && done !== all) return;
  const took = (performance.now() - started) / 1000;
  const left = done === 0 ? '?' : String(Math.round((took / done) * (all - done)));
  process.stderr.write(
    `${process.stderr.isTTY ? '\r' : ''}${done}/${all} runs, about ${left} s left   ${process.stderr.isTTY ? '' : '\n'}`,
  );
  if (done === all) process.stderr.write('\n');
}
