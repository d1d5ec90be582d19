import { readSmallFile } from '../kernel/index.js';
import { hasTwins, KEY_RULE, readKey, type NamedKey } from '../settings/index.js';

/** Why the tracker does not start, or keeps the keys it has: a line each, never what stands in the file. */
export class AccessFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super('The keys cannot be used.');
  }
}

/** A file of keys, one `name=secret` a line; empty lines and those that begin with # don't count. */
export function readKeyFile(variable: string, path: string | null): NamedKey[] {
  if (path === null) return [];
  const keys: NamedKey[] = [];
  const faults: string[] = [];
  textOf(variable, path)
    .split(/\r?\n/)
    .forEach((line, at) => {
      if (line.trim() === '' || line.trim().startsWith('#')) return;
      const key = readKey(line);
      if (key === undefined) faults.push(`${variable}: line ${String(at + 1)} must be ${KEY_RULE}`);
      else keys.push(key);
    });
  if (hasTwins(keys)) faults.push(`${variable}: a name stands there twice`);
  if (faults.length > 0) throw new AccessFault(faults);
  return keys;
}

/** What is longer is no list of keys. */
const MOST_BYTES = 1024 * 1024;

function textOf(variable: string, path: string): string {
  const text = readSmallFile(path, MOST_BYTES);
  if (text === undefined) {
    throw new AccessFault([
      `${variable}: must be the path of a readable file, no pipe or device, of at most 1 MiB`,
    ]);
  }
  return text;
}
