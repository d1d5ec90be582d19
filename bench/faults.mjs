/**
 * The fault scorecard: whatever a head may do wrong × JSON and SSE × one route and two; what the client saw, what the
 * tracker learned and what leaked. Exits with 1 when a cell isn't as fault-table.mjs says.
 *
 *     npm run bench:faults [-- --markdown FILE] [-- --only NAME]
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { runCell } from './fault-cell.mjs';
import { FAULTS } from './fault-table.mjs';
import { asMarkdown, writeMarkdown } from './scorecard.mjs';

const { values: options } = parseArgs({
  options: { markdown: { type: 'string' }, only: { type: 'string' } },
});
const faults = FAULTS.filter(({ name }) => options.only === undefined || name.includes(options.only));
const startedAt = performance.now();
const rows = [];
for (const fault of faults) {
  for (const [kind, expected] of Object.entries(fault.expected)) {
    const cells = [await judged(fault, kind, 'one', expected), await judged(fault, kind, 'two', expected)];
    rows.push({ fault, kind, cells });
  }
}
console.log(`\n${asMarkdown(rows)}\n`);
if (options.markdown !== undefined) writeMarkdown(options.markdown, asMarkdown(rows));
const all = rows.flatMap(({ cells }) => cells);
const wrong = all.filter(({ isRight }) => !isRight).length;
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(`${faults.length} faults, ${all.length} cells, ${wrong} wrong, ${seconds} s`);
process.exitCode = wrong === 0 ? 0 : 1;

/** Runs one cell, says what came of it, and compares that with what is right. */
async function judged(fault, kind, routes, { [routes]: saw, learned }) {
  const right = { saw, learned: { ...learned, breaker: learned.breaker[routes] }, leaked: {} };
  const found = await runCell(fault, kind, routes);
  const isRight = isDeepStrictEqual(found, right);
  const place = `${fault.name}, ${kind}, ${routes} ${routes === 'one' ? 'route' : 'routes'}`;
  console.log(`${isRight ? 'right' : 'WRONG'}  ${place}: ${found.saw}`);
  if (!isRight) console.log(`       found ${JSON.stringify(found)}\n       right ${JSON.stringify(right)}`);
  return { ...found, isRight };
}
