import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the build puts the page, seen from where it puts this file. */
export const BUILT_PAGE_FOLDER = fileURLToPath(new URL('../dashboard-page', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The page and what belongs to it, in memory: no request ever names a path on disk. */
export interface PageFiles {
  readonly page: Buffer;
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Null where nothing was built. */
export function readPageFiles(folder: string): PageFiles | null {
  try {
    const names = readdirSync(join(folder, 'assets'));
    const assets = names.map((name): [string, PageFile] => [
      name,
      {
        type: TYPES[extname(name)] ?? 'application/octet-stream',
        bytes: readFileSync(join(folder, 'assets', name)),
      },
    ]);
    return { page: readFileSync(join(folder, 'index.html')), assets: new Map(assets) };
  } catch {
    return null;
  }
}
