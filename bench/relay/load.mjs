/** The load: wrk for as much as goes, and a paced sender for the time that one request takes at a fixed rate. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { end, start } from './processes.mjs';

const run = promisify(execFile);
const PATH = '/v1/chat/completions';

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

/** How long a target gets at the rate before it counts: connections are opened and code is warm on both sides. */
const WARM_UP_SECONDS = 0.5;

/** The sender of requests at a fixed rate, in a process of its own: started once, as its code must be warm as well. */
export function startSender() {
  const child = start(process.execPath, [new URL('paced.mjs', import.meta.url).pathname], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const gone = new Promise((_, fail) => {
    child.once('exit', () => fail(new Error(`the paced sender ended: ${child.said}`)));
  });
  gone.catch(() => undefined);
  return {
    /** So many requests a second for so long, each on a connection that is free, and how long they took. */
    send({ url, headers }, body, perSecond, seconds) {
      const told = new Promise((done) => child.once('message', done));
      child.send({ url: url + PATH, headers, body, perSecond, seconds, warmUpSeconds: WARM_UP_SECONDS });
      return Promise.race([told, gone]);
    },
    end: () => end(child),
  };
}
