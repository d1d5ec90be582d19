import { EndpointFault, normaliseEndpoint } from '../kernel/endpoint.js';
import { isModelKey, isNodeName, isWallet, MODEL_KEY_RULE, NAME_RULE, WALLET_RULE } from '../kernel/ids.js';
import type { LayerSpan } from '../kernel/span.js';
import { FlagReader, givenFlags, type FlagKinds } from './flags.js';
import type { ReferenceNodeOptions } from './node-options.js';

export const NODE_USAGE = `Usage: npm run node -- --model KEY [flags]

A node of a meshnet: real sockets and real timing, but layers that only prove that they ran.

  --model KEY               model it serves (needed)
  --num-layers N            layers of the whole model (needed with --shard)
  --shard A-B               layers it holds, both included; without: a plain server of the whole model
  --tracker URL             tracker to register with; without: it only serves
  --wallet ID               owner (needed with --tracker, unless there is a --key)
  --key FILE                owner's Ed25519 key (PEM, PKCS#8), made there if it isn't: registers with a proof
  --token-file FILE         file with the token that the tracker asks of nodes
  --tracker-name NAME       tracker that the proof is for (meshnet)
  --name NAME               tells this machine from the owner's others
  --host ADDRESS            where it listens (127.0.0.1)
  --port N                  0 takes any free port (0)
  --endpoint URL            address that others shall call (where it listens)
  --ms-per-layer MS         time a layer takes for each token, fractions allowed (0)
  --prefill-ms-per-token MS time all layers take for each token of the prompt (0)
  --slots N                 sequences at once; more wait in line (8)
  --load-seconds S          how long the first chat waits for the model to load (0)
  --throughput-tps TPS      tokens/s to declare (1000 / (ms per layer x layers it holds))
  --max-concurrent N        sequences to accept at most, as declared to the tracker (not declared)
  --help`;

const KINDS: FlagKinds = {
  model: 'text',
  'num-layers': 'text',
  shard: 'text',
  tracker: 'text',
  wallet: 'text',
  key: 'text',
  'token-file': 'text',
  'tracker-name': 'text',
  name: 'text',
  host: 'text',
  port: 'text',
  endpoint: 'text',
  'ms-per-layer': 'text',
  'prefill-ms-per-token': 'text',
  slots: 'text',
  'load-seconds': 'text',
  'throughput-tps': 'text',
  'max-concurrent': 'text',
  help: 'switch',
};

const LAYERS_MAX = 10_000;

export type NodeFlags =
  | { readonly kind: 'help' }
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'options'; readonly options: ReferenceNodeOptions };

/** What the node's flags ask for, or all that is wrong with them at once. */
export function readNodeFlags(argv: readonly string[]): NodeFlags {
  const given = givenFlags(argv, KINDS);
  if (given.switches.has('help')) return { kind: 'help' };
  const flags = new FlagReader(given);
  const model = flags.value('model', MODEL_KEY_RULE, (text) => (isModelKey(text) ? text : undefined));
  const options = {
    ...readIdentity(flags),
    ...readAddresses(flags),
    ...readSpeed(flags),
    ...readLayers(flags),
  };
  if (!flags.has('model')) flags.faults.push('--model is needed');
  if (flags.has('tracker') && !flags.has('wallet') && !flags.has('key'))
    flags.faults.push('--wallet is needed with --tracker');
  if (flags.has('wallet') && flags.has('key')) flags.faults.push('--wallet must not be given with --key');
  if (model === undefined || flags.faults.length > 0) return { kind: 'faults', faults: flags.faults };
  return { kind: 'options', options: { model, ...options } };
}

function readIdentity(
  flags: FlagReader,
): Pick<ReferenceNodeOptions, 'wallet' | 'name' | 'keyFile' | 'tokenFile' | 'trackerName'> {
  return {
    keyFile: flags.value('key', 'the path of a file', (text) => (text === '' ? undefined : text)),
    tokenFile: flags.value('token-file', 'the path of a file', (text) => (text === '' ? undefined : text)),
    trackerName: flags.value('tracker-name', NAME_RULE, (text) => (isNodeName(text) ? text : undefined)),
    wallet: flags.value('wallet', WALLET_RULE, (text) => (isWallet(text) ? text : undefined)),
    name: flags.value('name', NAME_RULE, (text) => (isNodeName(text) ? text : undefined)),
  };
}

function readAddresses(
  flags: FlagReader,
): Pick<ReferenceNodeOptions, 'tracker' | 'endpoint' | 'host' | 'port'> {
  return {
    tracker: readUrl(flags, 'tracker'),
    endpoint: readUrl(flags, 'endpoint'),
    host: flags.value('host', 'an address to listen on', (text) => (/^\S+$/.test(text) ? text : undefined)),
    port: flags.integer('port', 0, 65_535),
  };
}

function readUrl(flags: FlagReader, name: string): string | undefined {
  return flags.value(name, 'a URL such as http://10.0.0.7:8000', (text) => {
    try {
      return normaliseEndpoint(text);
    } catch (fault) {
      if (fault instanceof EndpointFault) return undefined;
      throw fault;
    }
  });
}

function readSpeed(flags: FlagReader): Partial<ReferenceNodeOptions> {
  return {
    msPerLayer: flags.number('ms-per-layer', 0),
    prefillMsPerToken: flags.number('prefill-ms-per-token', 0),
    slots: flags.integer('slots', 1),
    loadSeconds: flags.number('load-seconds', 0),
    throughputTps: flags.number('throughput-tps', Number.MIN_VALUE),
    maxConcurrent: flags.integer('max-concurrent', 1),
  };
}

function readLayers(flags: FlagReader): Pick<ReferenceNodeOptions, 'shard' | 'numLayers'> {
  const numLayers = flags.integer('num-layers', 1, LAYERS_MAX);
  const shard = flags.value('shard', 'A-B, such as 0-21, with A at most B', readSpan);
  if (flags.has('shard') && !flags.has('num-layers'))
    flags.faults.push('--num-layers is needed with --shard');
  if (shard !== undefined && numLayers !== undefined && shard.end >= numLayers) {
    flags.faults.push(`--shard must end below --num-layers ${String(numLayers)}`);
  }
  return { shard, numLayers };
}

function readSpan(text: string): LayerSpan | undefined {
  const [, start, end] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  const span = { start: Number(start), end: Number(end) };
  return span.start <= span.end ? span : undefined;
}
