/**
 * Drops what no running program reads from installed packages: `node scripts/drop-unneeded.mjs node_modules`. Types and
 * sources in TypeScript, source maps and manuals; licences stay. Only by kind of file, never by package: what a package
 * loads of its own JavaScript may change with any version of it.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';

const UNNEEDED = /\.(map|[cm]?ts|md|markdown|flow|tsbuildinfo)$/i;
const LEGAL = /licen[cs]e|notice|copying|authors/i;

const [folder] = argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const isUnneeded = entry.isFile() && UNNEEDED.test(entry.name) && !LEGAL.test(entry.name);
  if (isUnneeded) rmSync(join(entry.parentPath, entry.name));
}
