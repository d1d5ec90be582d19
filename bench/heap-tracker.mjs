/** A tracker in a process of its own, asked for its memory by the bench. Needs --expose-gc. */
import { setImmediate as turn } from 'node:timers/promises';
import { stageTracker } from './staged-tracker.mjs';

// The heads send no heartbeats, and a slow machine takes longer than a lease.
const tracker = await stageTracker({ MESHNET_NODE_LEASE_SECONDS: '3600' });
process.on('message', (message) => void (message === 'stop' ? stop() : tell()));
process.send({ url: tracker.url });

/** What is let go of in one turn is collected in the next. */
async function tell() {
  for (let times = 0; times < 3; times += 1) {
    await turn();
    globalThis.gc();
  }
  const { heapUsed, rss } = process.memoryUsage();
  process.send({ heapUsed, rss });
}

async function stop() {
  await tracker.stop();
  process.disconnect();
}
