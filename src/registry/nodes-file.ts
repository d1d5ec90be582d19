import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  EndpointFault,
  isModelKey,
  isNodeName,
  isWallet,
  NAME_RULE,
  normaliseEndpoint,
  WALLET_RULE,
  type LayerSpan,
} from '../kernel/index.js';
import type { NodeAccess, NodeSource } from './node.js';

/** One model of a listed server, and what that server calls it. */
export interface ListedModel {
  readonly id: string;
  readonly upstreamModel: string | null;
}

/** A server that an operator lists because it can't register itself. */
export interface StaticEntry {
  readonly source: NodeSource;
  readonly wallet: string;
  readonly name: string;
  readonly endpoint: string;
  /** null: all that its `/v1/models` names. */
  readonly models: readonly ListedModel[] | null;
  readonly numLayers: number | null;
  readonly shard: LayerSpan | null;
  readonly throughputTps: number | null;
  readonly maxConcurrent: number | null;
  readonly access: NodeAccess;
  readonly firstByteTimeoutSeconds: number | null;
  readonly healthPath: string | null;
  readonly finishReasons: 'sent' | 'never';
}

/** Looks up what the file only names: a variable's value or a file's text; undefined when there is none. */
export interface SecretLookup {
  readonly variable: (name: string) => string | undefined;
  readonly file: (path: string) => string | undefined;
}

/** Every fault of a nodes file, each naming entry and field and never a value. */
export class NodesFileFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

const FIELDS = new Set([
  'name',
  'wallet',
  'url',
  'models',
  'num_layers',
  'shard',
  'throughput_tps',
  'max_concurrent',
  'api_key_env',
  'api_key_file',
  'headers',
  'first_byte_timeout_seconds',
  'health_path',
  'finish_reason',
]);
/** The connection's own headers, and those that the relay writes. */
const RELAY_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'accept-encoding',
  'x-request-id',
  'x-meshnet-route',
]);
const SHARD = /^(\d{1,6})-(\d{1,6})$/;

/**
 * Reads a nodes file: `{"nodes": [entry, …]}`, or the list alone. Pure but for the lookups handed in.
 *
 * @param file what a fault calls it that is the whole file's
 * @throws NodesFileFault with all faults at once; nothing of a faulty file is used
 */
export function parseNodesFile(text: string, secrets: SecretLookup, file = 'the file'): StaticEntry[] {
  const rows = entriesOf(text, file);
  const faults: string[] = [];
  const listed = rows.flatMap((row, at) => {
    const place = `nodes[${String(at)}]`;
    const entry = readEntry(row, place, secrets, faults);
    return entry === null ? [] : [{ place, entry }];
  });
  faults.push(...twinFaults(listed));
  if (faults.length > 0) throw new NodesFileFault(faults);
  return listed.map(({ entry }) => entry);
}

/** An entry and how an operator finds it. */
export interface PlacedEntry {
  readonly place: string;
  readonly entry: StaticEntry;
}

/** Two servers under one name, or one server twice, would take each other's place again and again. */
export function twinFaults(listed: readonly PlacedEntry[]): string[] {
  const faults: string[] = [];
  const places = new Map<string, string>();
  const claim = (what: string, place: string, rule: (twin: string) => string): void => {
    const twin = places.get(what);
    if (twin === undefined) places.set(what, place);
    else faults.push(`${place}.${rule(twin)}`);
  };
  for (const { place, entry } of listed) {
    const { wallet, name, endpoint } = entry;
    claim(`name ${wallet}.${name}`, place, (twin) => `name: must not be that of ${twin}`);
    claim(
      `url ${endpoint}`,
      place,
      (twin) => `url: must not be that of ${twin}; list all models in one entry`,
    );
  }
  return faults;
}

/** The entry that a `--node URL` stands for. */
export function entryOfUrl(endpoint: string): StaticEntry {
  return {
    source: 'flag',
    wallet: 'local',
    name: nameOf(endpoint),
    endpoint,
    models: null,
    numLayers: null,
    shard: null,
    throughputTps: null,
    maxConcurrent: null,
    access: { headers: {} },
    firstByteTimeoutSeconds: null,
    healthPath: null,
    finishReasons: 'sent',
  };
}

/** Host, port and path of an endpoint, every other character as `-`. */
export function nameOf(endpoint: string): string {
  return endpoint
    .replace(/^https?:\/\//, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 128);
}

function entriesOf(text: string, file: string): unknown[] {
  let value: unknown;
  try {
    // A byte-order mark is what some editors leave in front.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new NodesFileFault([`${file}: must be JSON`]);
  }
  const rows = isObject(value) ? value.nodes : value;
  if (!Array.isArray(rows)) {
    throw new NodesFileFault([`${file}: must be {"nodes": [ … ]} or a list of nodes`]);
  }
  return rows as unknown[];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readEntry(row: unknown, place: string, secrets: SecretLookup, faults: string[]): StaticEntry | null {
  if (!isObject(row)) {
    faults.push(`${place}: must be an object`);
    return null;
  }
  const before = faults.length;
  const refuse = (field: string, rule: string): null => {
    faults.push(`${place}.${field}: ${rule}`);
    return null;
  };
  const take = <T>(field: string, read: (value: unknown) => T | undefined, rule: string): T | null => {
    const value = row[field] ?? null;
    if (value === null) return null;
    return read(value) ?? refuse(field, `must be ${rule}`);
  };
  for (const field of Object.keys(row)) {
    if (!FIELDS.has(field)) refuse(JSON.stringify(field), 'is not a field of a node');
  }
  const endpoint = readUrl(row.url, refuse);
  const shard = take('shard', asShard, 'a span of layers such as "0-21"');
  const numLayers = take('num_layers', asWhole(1), 'a whole number of at least 1');
  const models = take('models', asModels, '["*"] or a list of ids or {"id", "upstream_model"}');
  const isOfAll = models === null || models.some(isWildcard);
  if (shard !== null && (isOfAll || models.length !== 1)) {
    refuse('models', 'must name the one model of the shard');
  }
  if (shard !== null && numLayers !== null && shard.end >= numLayers) {
    refuse('shard', 'must end below num_layers');
  }
  const headers = take('headers', asHeaders, 'an object of header names and values that a node may be sent');
  const entry: StaticEntry = {
    source: 'nodes_file',
    wallet: take('wallet', (value) => (isWallet(value) ? value : undefined), WALLET_RULE) ?? 'local',
    name:
      take('name', (value) => (isNodeName(value) ? value : undefined), NAME_RULE) ?? nameOf(endpoint ?? ''),
    endpoint: endpoint ?? '',
    models: isOfAll ? null : models,
    numLayers,
    shard,
    throughputTps: take('throughput_tps', asPositive, 'a number above 0'),
    maxConcurrent: take('max_concurrent', asWhole(1), 'a whole number of at least 1'),
    access: { headers: { ...headers, ...readKey(row, secrets, refuse) } },
    firstByteTimeoutSeconds: take('first_byte_timeout_seconds', asPositive, 'a number above 0'),
    healthPath: take('health_path', asPath, 'a path that starts with /'),
    finishReasons: take('finish_reason', asFinishReasons, '"sent" or "never"') ?? 'sent',
  };
  return faults.length === before ? entry : null;
}

type Refuse = (field: string, rule: string) => null;

function readUrl(url: unknown, refuse: Refuse): string | null {
  if (typeof url !== 'string') return refuse('url', 'must be an http(s) URL');
  try {
    return normaliseEndpoint(url);
  } catch (fault) {
    if (fault instanceof EndpointFault) return refuse('url', fault.message);
    throw fault;
  }
}

/** The node's own key as the header that carries it. */
function readKey(
  row: Record<string, unknown>,
  secrets: SecretLookup,
  refuse: Refuse,
): Record<string, string> {
  const variable = row.api_key_env ?? null;
  const file = row.api_key_file ?? null;
  if (variable === null && file === null) return {};
  if (variable !== null && file !== null) {
    refuse('api_key_file', 'must not be given beside api_key_env');
    return {};
  }
  const field = variable === null ? 'api_key_file' : 'api_key_env';
  const key = lookUp(variable ?? file, variable === null ? secrets.file : secrets.variable)?.trim() ?? '';
  if (key === '' || !isHeader('authorization', `Bearer ${key}`)) {
    const rule = variable === null ? 'a readable file with a key' : 'a variable that is set to a key';
    refuse(field, `must name ${rule}`);
    return {};
  }
  return { authorization: `Bearer ${key}` };
}

function lookUp(name: unknown, read: (name: string) => string | undefined): string | undefined {
  return typeof name === 'string' && name !== '' ? read(name) : undefined;
}

function asShard(value: unknown): LayerSpan | undefined {
  const parts = typeof value === 'string' ? SHARD.exec(value) : null;
  if (parts === null) return undefined;
  const span = { start: Number(parts[1]), end: Number(parts[2]) };
  return span.start <= span.end ? span : undefined;
}

function asWhole(least: number): (value: unknown) => number | undefined {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : undefined;
}

function asPositive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function asPath(value: unknown): string | undefined {
  return typeof value === 'string' && /^\/[\x21-\x7e]*$/.test(value) ? value : undefined;
}

function asFinishReasons(value: unknown): 'sent' | 'never' | undefined {
  return value === 'sent' || value === 'never' ? value : undefined;
}

function asModels(value: unknown): ListedModel[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const models = value.map(asModel);
  const whole = models.filter((model) => model !== undefined);
  const ids = new Set(whole.map(({ id }) => id));
  if (whole.length !== value.length || ids.size !== value.length) return undefined;
  // Beside "all", another name would be lost without a word.
  return whole.some(isWildcard) && (whole.length > 1 || whole[0]?.upstreamModel !== null) ? undefined : whole;
}

function isWildcard({ id }: ListedModel): boolean {
  return id === '*';
}

function asModel(value: unknown): ListedModel | undefined {
  if (isModelKey(value)) return { id: value, upstreamModel: null };
  if (!isObject(value) || !isModelKey(value.id)) return undefined;
  const upstreamModel = value.upstream_model ?? null;
  if (upstreamModel !== null && !isModelKey(upstreamModel)) return undefined;
  return { id: value.id, upstreamModel };
}

function asHeaders(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const headers: [string, string][] = [];
  for (const [name, text] of Object.entries(value)) {
    const lower = name.toLowerCase();
    if (typeof text !== 'string' || RELAY_HEADERS.has(lower) || !isHeader(name, text)) return undefined;
    headers.push([lower, text]);
  }
  return Object.fromEntries(headers);
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
