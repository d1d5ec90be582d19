import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The text of a file that an operator names, read at once; undefined where there is none. A pipe or device, which may have
 * no end or no beginning, would hold up everybody: it is none, and so is a file of more bytes than that.
 */
export function readSmallFile(path: string, mostBytes: number): string | undefined {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== null) closeSync(file);
  }
}
