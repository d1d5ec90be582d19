/**
 * What the image holds besides Node: installs what production needs in a folder of its own, as the Dockerfile does, drops
 * what it drops, starts the tracker from there, and weighs it all. Prints figures; it is no test.
 *
 *     npm run bench:size                 (--markdown FILE --largest 12)
 */
import { execFile } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { end, saying, start } from './relay/processes.mjs';
import { Figures, progress } from './scale/figures.mjs';

const { values } = parseArgs({
  options: { markdown: { type: 'string' }, largest: { type: 'string', default: '12' } },
});
const ROOT = resolve(import.meta.dirname, '..');
const MEBIBYTE = 1024 * 1024;
/** Between them they load each library that comes late: the API's page, and with listed servers and traces the rest. */
const PATHS = ['/readyz', '/metrics', '/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/dashboard'];
const figures = new Figures();
const folder = mkdtempSync(join(tmpdir(), 'meshnet-image-'));

try {
  await install(['--omit=dev']);
  const before = packages();
  await install(['--omit=dev', '--omit=optional']);
  const installed = packages();
  await run(process.execPath, [join(ROOT, 'scripts/drop-unneeded.mjs'), 'node_modules']);
  const kept = packages();
  for (const part of ['dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  await answersFromThere();
  add('dist', bytesOf(join(folder, 'dist')));
  const dropped = (from, to) => `${mebibytes(sum(from) - sum(to))} dropped`;
  add('node_modules without what only developers need', sum(before), `${before.length} packages`);
  add('… and without what is optional', sum(installed), dropped(before, installed));
  add('… and without types, source maps, manuals', sum(kept), dropped(installed, kept));
  const named = kept.sort((a, b) => b.bytes - a.bytes).slice(0, Number(values.largest));
  for (const { name, bytes } of named) add(`of that ${name}`, bytes);
  add('dist and node_modules as the image holds them', sum(kept) + bytesOf(join(folder, 'dist')));
  await figures.print('Size', values.markdown);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program, args) {
  return promisify(execFile)(program, args, { cwd: folder });
}

async function install(omitted) {
  progress(`npm ci ${omitted.join(' ')} …`);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  await run('npm', ['ci', ...omitted, '--no-audit', '--no-fund', '--prefer-offline']);
}

/** Nothing that is needed was dropped: whatever loads early or late answers. */
async function answersFromThere() {
  const nobody = 'http://127.0.0.1:9';
  const args = [join(folder, 'dist/main.js'), '--port', '0', '--node', nobody];
  const env = { ...process.env, NODE_ENV: 'production', OTEL_EXPORTER_OTLP_ENDPOINT: nobody };
  const child = start(process.execPath, args, { cwd: folder, env });
  const url = await saying(child, /tracker on (\S+)/);
  for (const path of PATHS) {
    const { status } = await fetch(url + path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${child.said}`);
  }
  await end(child);
}

function packages() {
  return packagesIn(join(folder, 'node_modules'));
}

/** What a package brought for itself alone counts as its own. */
function packagesIn(parent, scope = '') {
  return readdirSync(parent).flatMap((name) => {
    if (name.startsWith('.')) return [];
    if (name.startsWith('@')) return packagesIn(join(parent, name), `${name}/`);
    return [{ name: scope + name, bytes: bytesOf(join(parent, name)) }];
  });
}

function bytesOf(path) {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((total, name) => total + bytesOf(join(path, name)), 0);
}

function sum(found) {
  return found.reduce((total, { bytes }) => total + bytes, 0);
}

function mebibytes(bytes) {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

function add(what, bytes, more) {
  figures.add(what, bytes / MEBIBYTE, { unit: 'MiB', more });
}
