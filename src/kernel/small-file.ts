import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The text of a file that an operator names, read at once; undefined where there is none. A pipe or device, which may have
 * no end or no beginning, would hold up everybody: it is none, and so is a file of more bytes than that.
 */
export function readSmallFile(path: string, mostBytes: number): string | undefined {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).isFile() ? readAtMost(file, mostBytes) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const PIECE_BYTES = 64 * 1024;

/** Its size is no bound: some files of the kernel's say 0 and have no end. */
function readAtMost(file: number, mostBytes: number): string | undefined {
  const pieces: Buffer[] = [];
  for (let left = mostBytes; left >= 0;) {
    const piece = Buffer.alloc(PIECE_BYTES);
    const count = readSync(file, piece);
    if (count === 0) return Buffer.concat(pieces).toString();
    pieces.push(piece.subarray(0, count));
    left -= count;
  }
  return undefined;
}
