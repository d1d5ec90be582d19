/**
 * A real mesh of reference nodes with slots, real sockets and real waiting, under 64 chats at once: how long a chat takes on
 * average with `least-expected-delay`, over what it takes with `proportional`. Each policy has a tracker and a mesh of its own, of
 * the same nodes; they take turns, and each turn of one answers the same chats as that of the other. Prints figures; it is no test.
 *
 *     npm run bench:mesh              (--markdown FILE --rounds 4 --chats 320 --at-once 64)
 */
import { parseArgs } from 'node:util';
import { end } from './relay/processes.mjs';
import { answerAll } from './mesh/chats.mjs';
import { NODES, startMesh } from './mesh/nodes.mjs';
import { Figures, progress } from './scale/figures.mjs';

const LIMIT = 0.7;
const POLICIES = {
  proportional: {},
  'least-expected-delay': {
    MESHNET_ROUTE_POLICY: 'least-expected-delay',
    MESHNET_ROUTE_ENUMERATION: 'diverse',
  },
};
const { values } = parseArgs({
  options: {
    markdown: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    chats: { type: 'string', default: '320' },
    'at-once': { type: 'string', default: '64' },
  },
});
const [rounds, chats, atOnce] = [values.rounds, values.chats, values['at-once']].map(Number);
const means = { proportional: [], 'least-expected-delay': [] };
const latest = { proportional: [], 'least-expected-delay': [] };
let failed = 0;

const meshes = new Map();
for (const [policy, env] of Object.entries(POLICIES)) meshes.set(policy, await startMesh(env));
// What is learned in the first turn counts for the others; it is not measured, as what Node compiles in it is not.
for (let round = 0; round <= rounds; round += 1) {
  for (const [policy, { url }] of meshes) await takeTurn(policy, url, round);
}
for (const { children } of meshes.values()) await Promise.all(children.map(end));
await print();

async function takeTurn(policy, url, round) {
  const seconds = await answerAll(url, { chats, atOnce, seed: round + 1 });
  const mean = meanOf(seconds.filter(Number.isFinite));
  failed += seconds.filter((own) => !Number.isFinite(own)).length;
  progress(
    `${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}, ${policy}: ${mean.toFixed(2)} s a chat`,
  );
  if (round === 0) return;
  means[policy].push(mean);
  latest[policy].push(...seconds.filter(Number.isFinite));
}

async function print() {
  const figures = new Figures();
  for (const policy of Object.keys(POLICIES)) {
    const each = `by round: ${means[policy].map((mean) => mean.toFixed(2)).join(', ')}`;
    figures.add(`${policy}: mean`, meanOf(means[policy]), { unit: 's', decimals: 2, more: each });
    figures.add(`${policy}: p99`, at99(latest[policy]), { unit: 's', decimals: 2 });
  }
  const ratios = means.proportional.map((mean, at) => means['least-expected-delay'][at] / mean);
  figures.add('least-expected-delay / proportional, mean', meanOf(ratios), {
    unit: '×',
    limit: LIMIT,
    decimals: 2,
    more: `by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
  });
  figures.add('chats that failed', failed, { unit: 'chats', limit: 0, decimals: 0 });
  const title = `A mesh of ${NODES.length} reference nodes with slots, ${atOnce} chats at once, ${rounds} rounds of ${chats} chats for each policy`;
  await figures.print(title, values.markdown, 'mesh');
}

function meanOf(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function at99(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(0.99 * numbers.length)];
}
