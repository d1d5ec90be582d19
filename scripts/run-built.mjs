/**
 * Builds, then runs a program of dist/ in this very process: `node scripts/run-built.mjs main.js --port 9000`.
 *
 * npm runs scripts through a shell, which a signal to npm ends without passing it on. The program would go on
 * without anybody, so a parent that is gone counts as SIGTERM.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const LOOK_EVERY_MS = 500;
const root = resolve(import.meta.dirname, '..');
const [program = 'main.js'] = process.argv.slice(2);
const target = resolve(root, 'dist', program);

console.error('building …');
const nest = resolve(root, 'node_modules/@nestjs/cli/bin/nest.js');
const build = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
if (build.status === 0) {
  const { buildDashboard } = await import('./build-dashboard.mjs');
  await buildDashboard(resolve(root, 'dist/dashboard-page'));
  if (process.env.npm_lifecycle_event !== undefined) endWithParent();
  // The program finds its own arguments where it expects them.
  process.argv.splice(1, 2, target);
  await import(pathToFileURL(target).href);
} else {
  process.exitCode = build.status ?? 1;
}

function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  watch.unref();
}
