import type { Registration } from '../registry/index.js';

/** All fields of a registration that mean something. */
export type SignedFields = Readonly<Partial<Record<Exclude<keyof Registration, 'proof'>, unknown>>>;

/** Fields that came after the text's first version: they stand in it where they are given, so that older signers stay right. */
type AddedField = 'finish_reason';

/** What makes a proof good once, and at one tracker. */
export interface ProofContext {
  readonly tracker: string;
  readonly timeMs: number;
  readonly nonce: string;
}

const VERSION = 'meshnet-node-registration-v1';

/** In the order of the text. A field that a registration gains is missed here by the compiler. */
const FIELDS: Readonly<Record<Exclude<keyof SignedFields, AddedField>, true>> = {
  wallet: true,
  name: true,
  endpoint: true,
  model: true,
  num_layers: true,
  shard_start: true,
  shard_end: true,
  throughput_tps: true,
  queue_depth: true,
  max_concurrent: true,
  upstream_model: true,
  api_key: true,
};

const ADDED_FIELDS: readonly AddedField[] = ['finish_reason'];

/**
 * What is signed: a line for the version, then `name=value` lines, each ended by a line feed. Values are written as
 * RFC 8785 does, which is what JSON.stringify makes of texts and numbers; it writes no line feed, so that no value can
 * pass for another line. A field that is left out is null.
 */
export function registrationText(fields: SignedFields, { tracker, timeMs, nonce }: ProofContext): string {
  const given = ADDED_FIELDS.filter((name) => (fields[name] ?? null) !== null);
  const names = [...(Object.keys(FIELDS) as (keyof SignedFields)[]), ...given];
  const lines: [string, unknown][] = [
    ['tracker', tracker],
    ['time_ms', timeMs],
    ['nonce', nonce],
    ...names.map((name): [string, unknown] => [name, fields[name] ?? null]),
  ];
  return `${VERSION}\n${lines.map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join('')}`;
}
