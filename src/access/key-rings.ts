import type { CallerRole } from '../http/index.js';
import { hasTwins, type AccessSettings, type NamedKey } from '../settings/index.js';
import { AccessFault, readKeyFile } from './key-file.js';
import { KeyRing } from './key-ring.js';

export type KeyRings = Readonly<Record<CallerRole, KeyRing>>;

const VARIABLE: Readonly<Record<CallerRole, string>> = {
  client: 'MESHNET_API_KEYS',
  node: 'MESHNET_NODE_TOKENS',
  admin: 'MESHNET_ADMIN_KEYS',
};

/**
 * All keys, of the environment and of the files as they are now.
 *
 * @throws AccessFault
 */
export function readKeyRings(settings: Readonly<AccessSettings>): KeyRings {
  const faults: string[] = [];
  const read = (role: CallerRole, given: readonly NamedKey[], path: string | null): readonly NamedKey[] => {
    try {
      const keys = [...given, ...readKeyFile(`${VARIABLE[role]}_FILE`, path)];
      if (hasTwins(keys)) faults.push(`${VARIABLE[role]}: a name stands there and in ${VARIABLE[role]}_FILE`);
      return keys;
    } catch (fault) {
      if (!(fault instanceof AccessFault)) throw fault;
      faults.push(...fault.faults);
      return [];
    }
  };
  const client = read('client', settings.apiKeys, settings.apiKeysFile);
  const node = read('node', settings.nodeTokens, settings.nodeTokensFile);
  const admin = read('admin', settings.adminKeys, settings.adminKeysFile);
  faults.push(...shared([...client, ...node, ...admin]));
  if (faults.length > 0) throw new AccessFault(faults);
  return { client: new KeyRing(client), node: new KeyRing(node), admin: new KeyRing(admin) };
}

/** One secret for two names would make it a matter of chance whose it is. */
function shared(keys: readonly NamedKey[]): string[] {
  const byDigest = new Map<string, string[]>();
  for (const { name, digest } of keys) {
    const hex = digest.toString('hex');
    byDigest.set(hex, [...(byDigest.get(hex) ?? []), name]);
  }
  return [...byDigest.values()]
    .filter((names) => names.length > 1)
    .map((names) => `keys: ${names.join(' and ')} have the same secret; give each its own`);
}
