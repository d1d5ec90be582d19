import { FlagReader, givenFlags } from './flags.js';

export const DEMO_USAGE = `Usage: npm run demo -- [flags]

A tracker and a mesh of four nodes on this machine, with chats flowing through them.

  --port N       port of the tracker (8080); when it is busy, the next free one
  --no-traffic   no chats but your own
  --help`;

export const DEFAULT_PORT = 8080;

export type DemoFlags =
  | { readonly kind: 'help' }
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'run'; readonly port: number; readonly traffic: boolean };

export function readDemoFlags(argv: readonly string[]): DemoFlags {
  const given = givenFlags(argv, { port: 'text', 'no-traffic': 'switch', help: 'switch' });
  if (given.switches.has('help')) return { kind: 'help' };
  const flags = new FlagReader(given);
  const port = flags.integer('port', 0, 65_535) ?? DEFAULT_PORT;
  if (flags.faults.length > 0) return { kind: 'faults', faults: flags.faults };
  return { kind: 'run', port, traffic: !given.switches.has('no-traffic') };
}
