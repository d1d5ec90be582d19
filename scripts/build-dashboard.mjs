/**
 * Bundles the dashboard's page: `node scripts/build-dashboard.mjs [folder]`, dist/dashboard-page by default.
 *
 * Files are named by their content, so that browsers may keep them for ever; index.html names them and is written
 * last.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const web = resolve(root, 'web');

/** Writes index.html and assets/ into the folder. */
export async function buildDashboard(folder) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [resolve(web, 'main.tsx')],
    outdir: resolve(folder, 'assets'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    entryNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: '{}',
    legalComments: 'inline',
    write: false,
    logLevel: 'warning',
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(resolve(folder, 'assets'), { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const icon = readFileSync(resolve(web, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(resolve(folder, 'assets', iconName), icon);
  const nameOf = (extension) =>
    outputFiles.map(({ path }) => basename(path)).find((name) => extname(name) === extension);
  const page = readFileSync(resolve(web, 'index.html'), 'utf8')
    .replace('{{script}}', nameOf('.js'))
    .replace('{{styles}}', nameOf('.css'))
    .replace('{{icon}}', iconName);
  writeFileSync(resolve(folder, 'index.html'), page);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDashboard(resolve(process.argv[2] ?? resolve(root, 'dist/dashboard-page')));
}
