import { parseArgs, type ParseArgsConfig } from 'node:util';
import {
  AccessSettings,
  BrowserSettings,
  CallSettings,
  LimitSettings,
  NodeNetworkSettings,
  NodesSettings,
  RoutingSettings,
  ServingSettings,
  SETTINGS_CLASSES,
  SpeedSettings,
  TracesSettings,
  WalletProofSettings,
  type Settings,
} from './settings.js';
import { withNodeTokens } from './node-network-settings.js';
import { validateSync } from '../kernel/index.js';
import { sourcesOf, type SettingSource } from './setting.decorator.js';

/** What the process was started with. */
export interface SettingsInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What came of reading: settings to run with, a wish to be told something, or every fault at once. */
export type SettingsReading =
  | { readonly kind: 'run'; readonly settings: Settings; readonly unknownVariables: readonly string[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

const ALL_SOURCES: readonly SettingSource[] = Object.values(SETTINGS_CLASSES).flatMap((type) => [
  ...sourcesOf(type.prototype as object),
]);
const VARIABLE_PREFIX = 'MESHNET_';

/**
 * Reads env and flags (flags win; empty is the default; surrounding blanks don't count). Pure: takes the
 * environment as an argument and touches nothing. A fault names variable and allowed range, never the value.
 */
export function readSettings(input: SettingsInput): SettingsReading {
  const flags = readFlags(input.argv);
  if (flags.values.has('--help')) return { kind: 'help' };
  if (flags.values.has('--version')) return { kind: 'version' };
  const faults = [...flags.faults];
  const read = <T extends object>(type: new () => T): Readonly<T> =>
    readPart(type, input.env, flags.values, faults);
  const parts: Settings = {
    routing: read(RoutingSettings),
    speeds: read(SpeedSettings),
    serving: read(ServingSettings),
    nodes: read(NodesSettings),
    nodeNetworks: read(NodeNetworkSettings),
    walletProof: read(WalletProofSettings),
    calls: read(CallSettings),
    access: read(AccessSettings),
    browsers: read(BrowserSettings),
    limits: read(LimitSettings),
    traces: read(TracesSettings),
  };
  if (faults.length > 0) return { kind: 'faults', faults };
  const nodeNetworks = withNodeTokens(parts.nodeNetworks, parts.access);
  const settings: Settings = Object.freeze({ ...parts, nodeNetworks });
  return { kind: 'run', settings, unknownVariables: unknownVariables(input.env) };
}

interface Flags {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly string[];
}

function readFlags(argv: readonly string[]): Flags {
  const options: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  };
  for (const { flag } of ALL_SOURCES) {
    if (flag !== null) options[flag.slice(2)] = { type: 'string', multiple: true };
  }
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      faults.push(`argument ${String(token.index + 1)}: is not a flag; see --help`);
    } else if (token.kind === 'option') {
      const option = options[token.name];
      const flag = `--${token.name}`;
      if (option === undefined) {
        faults.push(`${token.rawName}: is not a flag of this program; see --help`);
      } else if (option.type === 'string' && token.value === undefined) {
        faults.push(`${flag}: needs a value`);
      } else {
        values.set(flag, [...(values.get(flag) ?? []), token.value ?? '']);
      }
    }
  }
  return { values, faults };
}

function readPart<T extends object>(
  type: new () => T,
  env: SettingsInput['env'],
  flags: Flags['values'],
  faults: string[],
): Readonly<T> {
  const part = new type();
  const sources = sourcesOf(type.prototype as object);
  const givenBy = new Map<string, string>();
  const open: SettingSource[] = [];
  for (const source of sources) {
    const given = givenTexts(source, env, flags);
    if (given === null) {
      open.push(source);
      continue;
    }
    givenBy.set(source.property, given.by);
    const values = given.texts.map((text) => source.read(text));
    Reflect.set(part, source.property, source.repeatable ? values : values.at(-1));
  }
  for (const { property, unlessGiven } of open) {
    if (unlessGiven !== null) Reflect.set(part, property, unlessGiven(part));
  }
  for (const fault of validateSync(part, { forbidUnknownValues: false })) {
    const source = sources.find(({ property }) => property === fault.property);
    const by = givenBy.get(fault.property) ?? source?.env ?? source?.flag ?? fault.property;
    faults.push(`${by}: must be ${source?.range ?? 'something else'}`);
  }
  for (const { property, needs } of sources) {
    const by = givenBy.get(property);
    if (by !== undefined && needs?.isMet(part) === false) faults.push(`${by}: needs ${needs.words}`);
  }
  return Object.freeze(part);
}

function givenTexts(
  source: SettingSource,
  env: SettingsInput['env'],
  flags: Flags['values'],
): { by: string; texts: string[] } | null {
  for (const [by, texts] of [
    [source.flag, source.flag === null ? [] : (flags.get(source.flag) ?? [])],
    [source.env, source.env === null ? [] : [env[source.env] ?? '']],
  ] as const) {
    const filled = texts.map((text) => text.trim()).filter((text) => text !== '');
    if (by !== null && filled.length > 0) return { by, texts: filled };
  }
  return null;
}

/** Names alone: what a typo would leave without effect. */
function unknownVariables(env: SettingsInput['env']): string[] {
  const known = new Set(ALL_SOURCES.map((source) => source.env));
  return Object.keys(env).filter((name) => name.startsWith(VARIABLE_PREFIX) && !known.has(name));
}

/** What `--help` prints: every flag and variable with its meaning, range and default. */
export function helpText(): string {
  const lines = [
    'Usage: npm start -- [flags]',
    '',
    'Every setting may come from the environment; a flag wins.',
    '',
  ];
  for (const [part, type] of Object.entries(SETTINGS_CLASSES)) {
    const defaults: object = new type();
    lines.push(`${part}:`);
    for (const source of sourcesOf(type.prototype)) {
      const names = [source.flag, source.env].filter((name) => name !== null).join(', ');
      const value: unknown = Reflect.get(defaults, source.property);
      const shown = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : 'none';
      lines.push(`  ${names}`, `      ${source.help}; ${source.range} (default ${shown})`);
    }
    lines.push('');
  }
  lines.push('  -h, --help      prints this', '  --version       prints the version', '');
  return lines.join('\n');
}
