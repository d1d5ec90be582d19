/** The tracker as it ships, in a process of its own. */
import { resolve } from 'node:path';
import { saying, start } from '../relay/processes.mjs';

const PROGRAM = resolve(import.meta.dirname, '../../dist/main.js');

/**
 * @param {{ env?: Record<string, string>, args?: string[], node?: string[] }} [how] `node`: flags of Node itself
 * @returns the process and its address, once it is ready
 */
export async function startTracker({ env = {}, args = [], node = [] } = {}) {
  const child = start(process.execPath, [...node, PROGRAM, '--port', '0', ...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    // Its log goes nowhere, but is written.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await saying(child, /tracker on (\S+)/);
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((done) => setTimeout(done, 20));
  return { child, url, pid: child.pid };
}
