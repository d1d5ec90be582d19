/** Starting, watching and ending the processes under measure. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A child that is ended with this process at the latest. */
export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  child.said = '';
  child.stdout?.on('data', (text) => (child.said += text));
  child.stderr?.on('data', (text) => (child.said += text));
  child.once('exit', () => running.delete(child));
  return child;
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 3000);
  await ended;
  clearTimeout(hard);
}

/** What `pattern` finds first in what the child prints. */
export async function saying(child, pattern) {
  for (let look = 0; look < 400; look += 1) {
    const found = pattern.exec(child.said);
    if (found !== null) return found[1];
    if (child.exitCode !== null) break;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`a process did not come up: ${child.said}`);
}

/** A loopback port that was free a moment ago, for programs that can't be told to take any. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export async function answers(url) {
  for (let look = 0; look < 200; look += 1) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  throw new Error(`${url} does not answer`);
}

/** CPU time that a process has used on all its threads, in µs; the kernel counts it in nanoseconds. */
export function cpuMicros(pid) {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanos / 1000;
}

export function rssMebibytes(pid) {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Children of a process: nginx works in one. */
export function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
