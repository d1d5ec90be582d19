import { readFileSync } from 'node:fs';

/** The tracker's own version, as package.json has it, from wherever this was built to. */
export function trackerVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
