/** The load: wrk for as much as goes, and a paced sender for the time that one request takes at a fixed rate. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const run = promisify(execFile);
const PATH = '/v1/chat/completions';
/** Requests/s. */
const MOST_OF_A_THREAD = 800;

/** As many requests as these connections get answered. wrk knows no body but by a script of Lua. */
export async function flatOut(target, body, seconds, connections = 32) {
  const folder = mkdtempSync(join(tmpdir(), 'meshnet-wrk-'));
  const headers = { 'content-type': 'application/json', ...target.headers };
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(
    join(folder, 'chat.lua'),
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n${lines.join('\n')}
     done = function(summary, latency)
       local e = summary.errors
       io.write(string.format("R %d %d %d %d %d\\n", summary.requests, summary.duration,
         e.status + e.connect + e.read + e.write + e.timeout, latency:percentile(50), latency:percentile(99)))
     end\n`,
  );
  const { stdout } = await run('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s'],
    ...['-s', join(folder, 'chat.lua'), target.url + PATH],
  ]);
  rmSync(folder, { recursive: true });
  const [, requests, micros, errors, p50, p99] = /R (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(stdout).map(Number);
  return { requests, perSecond: requests / (micros / 1e6), errors, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}

/**
 * So many requests a second for so long, each on a connection that is free, and how long they took. A timer knows whole
 * milliseconds only, and what one turn sends at once queues behind itself: so each thread sends less than one
 * a millisecond, and the threads' turns fall where they fall.
 */
export async function paced(target, body, perSecond, seconds) {
  const threads = Math.ceil(perSecond / MOST_OF_A_THREAD);
  const share = { target, body, perSecond: perSecond / threads, seconds };
  const parts = await Promise.all(Array.from({ length: threads }, () => pacedThread(share)));
  const tookMs = parts.flatMap((part) => part.tookMs).sort((a, b) => a - b);
  const errors = parts.reduce((sum, part) => sum + part.errors, 0);
  return { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99), errors };
}

async function pacedThread({ target, ...share }) {
  const { url, headers } = target;
  const worker = new Worker(new URL('paced.mjs', import.meta.url), {
    workerData: { ...share, url: url + PATH, headers },
  });
  const [told] = await once(worker, 'message');
  return told;
}

export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
