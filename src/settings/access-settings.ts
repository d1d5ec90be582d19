import { createHash } from 'node:crypto';
import { IsBoolean, IsArray, IsString, ValidateIf } from '../kernel/index.js';
import { readText } from './readers.js';
import { Setting, together } from './setting.decorator.js';

/** A secret as the tracker keeps it: its name, and a digest from which nobody gets the secret back. */
export interface NamedKey {
  readonly name: string;
  /** SHA-256, 32 bytes. */
  readonly digest: Buffer;
}

/** Shorter ones can be guessed. */
const LEAST_SECRET = 16;
const MOST_SECRET = 512;
const NAME = /^[\w.-]{1,64}$/;
const VISIBLE = /^[\x21-\x7e]+$/;
export const KEY_RULE = `name=secret, each name (A-Z a-z 0-9 . _ -, at most 64) once, secrets of ${String(LEAST_SECRET)} to ${String(MOST_SECRET)} visible ASCII characters`;
const KEYS_RANGE = `a list like ${KEY_RULE}, separated by commas`;
const FILE_RANGE = 'the path of a readable file';

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** `name=secret`; undefined when it is none. */
export function readKey(text: string): NamedKey | undefined {
  const [, name = '', secret = ''] = /^([^=]*)=(.*)$/s.exec(text.trim()) ?? [];
  if (!NAME.test(name) || !VISIBLE.test(secret) || secret.includes(',')) return undefined;
  if (secret.length < LEAST_SECRET || secret.length > MOST_SECRET) return undefined;
  return { name, digest: digestOf(secret) };
}

/** Names twice would make two people one. */
export function hasTwins(keys: readonly NamedKey[]): boolean {
  return new Set(keys.map(({ name }) => name)).size < keys.length;
}

function readKeys(text: string): readonly NamedKey[] | undefined {
  const keys = text.split(',').map(readKey);
  if (keys.some((key) => key === undefined)) return undefined;
  const known = keys as NamedKey[];
  return hasTwins(known) ? undefined : known;
}

function readFlag(text: string): boolean | undefined {
  return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()];
}

interface Told {
  readonly env: string;
  readonly help: string;
}

function keyList(told: Told): PropertyDecorator {
  return together(Setting({ ...told, range: KEYS_RANGE, read: readKeys }) as PropertyDecorator, IsArray());
}

function keyFile(told: Told): PropertyDecorator {
  return together(
    Setting({ ...told, range: FILE_RANGE, read: readText }) as PropertyDecorator,
    ValidateIf((_settings, path) => path !== null),
    IsString(),
  );
}

/** Who may do what. Secrets are digests as soon as they are read: nothing that holds settings can tell one. */
export class AccessSettings {
  @keyList({ env: 'MESHNET_API_KEYS', help: 'keys of clients, who may chat and list models' })
  apiKeys: readonly NamedKey[] = [];

  @keyFile({
    env: 'MESHNET_API_KEYS_FILE',
    help: 'more of them, one name=secret a line; read again on SIGHUP',
  })
  apiKeysFile: string | null = null;

  @keyList({ env: 'MESHNET_NODE_TOKENS', help: 'tokens of nodes, which may register' })
  nodeTokens: readonly NamedKey[] = [];

  @keyFile({ env: 'MESHNET_NODE_TOKENS_FILE', help: 'more of them, likewise' })
  nodeTokensFile: string | null = null;

  @keyList({
    env: 'MESHNET_ADMIN_KEYS',
    help: 'keys of operators, who may see and do everything but register nodes',
  })
  adminKeys: readonly NamedKey[] = [];

  @keyFile({ env: 'MESHNET_ADMIN_KEYS_FILE', help: 'more of them, likewise' })
  adminKeysFile: string | null = null;

  @Setting({
    env: 'MESHNET_ALLOW_ANONYMOUS',
    range: 'true or false',
    help: 'whether anybody may chat without a key, also where others can reach the tracker',
    read: readFlag,
  })
  @IsBoolean()
  allowAnonymous = false;

  @Setting({
    env: 'MESHNET_FORWARD_AUTHORIZATION',
    range: 'true or false',
    help: "whether a client's own Authorization, one Bearer or Basic credential, goes on to nodes that have no key of their own; a key of this tracker does not",
    read: readFlag,
  })
  @IsBoolean()
  forwardAuthorization = false;
}
