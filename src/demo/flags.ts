import { parseArgs } from 'node:util';
import { readDecimal } from '../kernel/decimal.js';

/** Flags of one program: `text` takes a value, `switch` stands alone. */
export type FlagKinds = Readonly<Record<string, 'text' | 'switch'>>;

export interface GivenFlags {
  readonly texts: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
  /** What can't be understood, one line each. */
  readonly faults: readonly string[];
}

/** Ends a program that was told something it can't do (sysexits' EX_CONFIG). */
export const EXIT_BAD_FLAGS = 78;

/** Reads `--flag value`, `--flag=value` and `--switch`; the last of a repeated flag counts. */
export function givenFlags(argv: readonly string[], kinds: FlagKinds): GivenFlags {
  const texts = new Map<string, string>();
  const switches = new Set<string>();
  const faults: string[] = [];
  for (const token of tokensOf(argv, kinds)) {
    if (token.kind !== 'option') {
      if (token.kind === 'positional') faults.push(`${token.value} is not a flag`);
      continue;
    }
    const { name, rawName, value } = token;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined || !rawName.startsWith('--')) faults.push(`there is no flag ${rawName}`);
    else if (kind === 'switch' && value !== undefined) faults.push(`${rawName} takes no value`);
    else if (kind === 'switch') switches.add(name);
    else if (value === undefined || (!token.inlineValue && value.startsWith('--')))
      faults.push(`${rawName} needs a value`);
    else texts.set(name, value);
  }
  return { texts, switches, faults };
}

function tokensOf(argv: readonly string[], kinds: FlagKinds) {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'text' ? 'string' : 'boolean' } as const,
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** Reads the values of given flags one by one and gathers what is wrong with them. */
export class FlagReader {
  readonly faults: string[];

  constructor(private readonly given: GivenFlags) {
    this.faults = [...given.faults];
  }

  has(name: string): boolean {
    return this.given.texts.has(name);
  }

  /** The flag as `read` understands it, or undefined where it wasn't given or (with a fault) doesn't follow `rule`. */
  value<T>(name: string, rule: string, read: (text: string) => T | undefined): T | undefined {
    const text = this.given.texts.get(name);
    if (text === undefined) return undefined;
    const value = read(text.trim());
    if (value === undefined) this.faults.push(`--${name} must be ${rule}`);
    return value;
  }

  number(name: string, min: number, max = Number.MAX_VALUE): number | undefined {
    return this.value(name, rangeRule('a number', min, max), (text) => {
      const value = readDecimal(text) ?? Number.NaN;
      return value >= min && value <= max ? value : undefined;
    });
  }

  integer(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    return this.value(name, rangeRule('a whole number', min, max), (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    });
  }
}

function rangeRule(kind: string, min: number, max: number): string {
  if (min === Number.MIN_VALUE) return `${kind} above 0`;
  const endless = max === Number.MAX_VALUE || max === Number.MAX_SAFE_INTEGER;
  return `${kind} from ${String(min)}${endless ? '' : ` to ${String(max)}`}`;
}
