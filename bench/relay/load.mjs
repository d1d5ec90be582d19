/** The load: wrk for as much as goes, and a paced sender for the time that one request takes at a fixed rate. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

/** So many requests a second for so long, each on a connection that is free, and how long they took. */
export async function paced(target, body, perSecond, seconds) {
  const { hostname, port } = new URL(target.url);
  const bytes = requestBytes(`${hostname}:${port}`, target.headers, body);
  const idle = [];
  const open = new Set();
  const tookMs = [];
  let errors = 0;
  const line = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    open.add(socket);
    const ask = () => {
      const sentAt = performance.now();
      let answer = '';
      socket.on('data', function more(part) {
        answer += part.latin1Slice();
        if (!isWhole(answer)) return;
        socket.off('data', more);
        if (answer.startsWith('HTTP/1.1 200')) tookMs.push(performance.now() - sentAt);
        else errors += 1;
        idle.push(ask);
      });
      socket.write(bytes);
    };
    socket.on('error', () => (errors += 1));
    return ask;
  };
  for (let n = 0; n < 16; n += 1) idle.push(line());
  const startedAt = performance.now();
  let sent = 0;
  await new Promise((done) => {
    const turn = () => {
      const now = performance.now() - startedAt;
      if (now > seconds * 1000) return setTimeout(done, 300);
      for (; sent < (now / 1000) * perSecond; sent += 1) (idle.pop() ?? line())();
      // Not in every turn of the loop: the sender must not take the CPU of those it measures.
      setTimeout(turn, 1);
    };
    turn();
  });
  for (const socket of open) socket.destroy();
  tookMs.sort((a, b) => a - b);
  return { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99), errors };
}

function requestBytes(host, headers, body) {
  const lines = Object.entries({
    host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

function isWhole(answer) {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /content-length: *(\d+)/i.exec(answer.slice(0, headEnd))?.[1];
  if (length === undefined) return answer.endsWith('\r\n0\r\n\r\n');
  return answer.length >= headEnd + 4 + Number(length);
}

export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
