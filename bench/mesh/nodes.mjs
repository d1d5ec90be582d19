/** A tracker and its reference nodes, each in a process of its own. */
import { resolve } from 'node:path';
import { start } from '../relay/processes.mjs';
import { startTracker } from '../scale/tracker.mjs';

export const MODEL = 'bench-40-layers';
const LAYERS = 40;
const PROGRAM = resolve(import.meta.dirname, '../../dist/demo/reference-node.main.js');

const GPU = { ms: 0.4, prefill: 0.3, slots: 8 };
const SLOW_GPU = { ms: 0.8, prefill: 0.6, slots: 8 };
const CPU = { ms: 2.5, prefill: 3, slots: 2 };

/** Heads and tails that differ, a machine with all layers, and two slow ones: 28 chats run at once at most, the others wait. */
export const NODES = [
  { name: 'head-a', shard: '0-21', ...GPU },
  { name: 'head-b', shard: '0-21', ...SLOW_GPU },
  { name: 'tail-a', shard: '18-39', ...GPU },
  { name: 'tail-b', shard: '20-39', ...SLOW_GPU },
  { name: 'whole', shard: '0-39', ...GPU },
  { name: 'cpu-a', shard: '0-39', ...CPU },
  { name: 'cpu-b', shard: '0-39', ...CPU },
];

/** @param env the tracker's settings @returns its address, once all nodes are there, and the processes to end */
export async function startMesh(env) {
  const { child, url } = await startTracker({ env });
  const nodes = NODES.map((node) =>
    start(process.execPath, [PROGRAM, ...flagsOf(node), '--tracker', url], { stdio: 'ignore' }),
  );
  await untilJoined(url, nodes.length);
  return { url, children: [...nodes, child] };
}

function flagsOf({ name, shard, ms, prefill, slots }) {
  const identity = ['--wallet', 'bench', '--name', name, '--model', MODEL, '--num-layers', LAYERS];
  const speed = ['--ms-per-layer', ms, '--prefill-ms-per-token', prefill, '--slots', slots];
  return [...identity, '--shard', shard, ...speed].map(String);
}

async function untilJoined(url, count) {
  for (let looks = 0; looks < 400; looks += 1) {
    const { data } = await (await fetch(`${url}/v1/nodes`)).json();
    if (data.length === count) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the nodes did not join');
}
