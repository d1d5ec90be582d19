import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller, CallerRole } from '../http/index.js';
import { LOGGER, type Logger } from '../kernel/index.js';
import {
  ACCESS_SETTINGS,
  digestOf,
  SERVING_SETTINGS,
  type AccessSettings,
  type ServingSettings,
  type Settings,
} from '../settings/index.js';
import { isLoopback } from './exposure.js';
import { AccessFault } from './key-file.js';
import { readKeyRings, type KeyRings } from './key-rings.js';

/** `keys`: whoever has one may; `open`: anybody may; `closed`: nobody. */
export type Door = 'keys' | 'open' | 'closed';

const ROLES: readonly CallerRole[] = ['client', 'admin', 'node'];
const NO_KEY_LEFT = 'The file of keys holds none: add one and send SIGHUP.';

/** Whose keys open what, as they are now. */
@Injectable()
export class AccessService {
  private readonly isExposed: boolean;
  /** A role whose keys stand in a file is never open: an empty one means that nobody has a key. */
  private readonly hasFile: Readonly<Record<CallerRole, boolean>>;
  private rings: KeyRings;

  /** @throws AccessFault when the keys can't be read, or chats would be open to whoever reaches the tracker */
  constructor(
    @Inject(ACCESS_SETTINGS) private readonly settings: AccessSettings,
    @Inject(SERVING_SETTINGS) serving: ServingSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.isExposed = !isLoopback(serving.host);
    this.hasFile = {
      client: settings.apiKeysFile !== null,
      node: settings.nodeTokensFile !== null,
      admin: settings.adminKeysFile !== null,
    };
    this.rings = checkedKeyRings(settings, serving);
  }

  doorOf(role: CallerRole): Door {
    if (role === 'client' && this.settings.allowAnonymous)
      return this.rings.client.size > 0 || this.hasFile.client ? 'keys' : 'open';
    if (this.rings[role].size > 0) return 'keys';
    return this.isExposed || this.hasFile[role] ? 'closed' : 'open';
  }

  /** Whoever is on this machine may do something without a key. */
  get isOpenOnLoopback(): boolean {
    return !this.isExposed && ROLES.some((role) => this.doorOf(role) === 'open');
  }

  /** Whether chats go on without a key where others need one. */
  get takesAnonymous(): boolean {
    return this.settings.allowAnonymous;
  }

  /** Whose secret it is, in each role that has it; no two have the same. */
  holderOf(secret: string): Caller | null {
    const digest = digestOf(secret);
    let holder: Caller | null = null;
    for (const role of ROLES) {
      const name = this.rings[role].nameOf(digest);
      if (name !== null) holder = { role, name };
    }
    return holder;
  }

  /** Says once, at start, what stands open, and what a file without keys has closed. */
  warn(): void {
    this.warnOfClosed();
    const open = ROLES.filter((role) => this.doorOf(role) === 'open');
    if (open.length === 0) return;
    this.logger.warn(
      {
        open_to_anybody: open,
        hint: 'Set MESHNET_API_KEYS, MESHNET_ADMIN_KEYS and MESHNET_NODE_TOKENS before a proxy or tunnel makes this address reachable for others.',
      },
      'access.open',
    );
  }

  private warnOfClosed(): void {
    const roles = ROLES.filter((role) => this.hasFile[role] && this.doorOf(role) === 'closed');
    if (roles.length > 0) this.logger.warn({ closed_to_everybody: roles, hint: NO_KEY_LEFT }, 'keys.none');
  }

  /**
   * Reads the files of keys again. A faulty one changes nothing and is told; one without keys takes everybody's away.
   *
   * @returns whether a key that was good before is no more
   */
  reload(): boolean {
    const before = this.rings;
    try {
      this.rings = readKeyRings(this.settings);
    } catch (fault) {
      if (!(fault instanceof AccessFault)) throw fault;
      this.logger.error({ faults: fault.faults }, 'keys.refused');
      return false;
    }
    const { client, node, admin } = this.rings;
    this.logger.info({ clients: client.size, nodes: node.size, admins: admin.size }, 'keys.read');
    this.warnOfClosed();
    return ROLES.some((role) => this.rings[role].lacksAnyOf(before[role]));
  }
}

/**
 * Whether a tracker may start with these settings, to be asked before anything is started.
 *
 * @throws AccessFault
 */
export function checkAccess({ access, serving }: Pick<Settings, 'access' | 'serving'>): void {
  checkedKeyRings(access, serving);
}

function checkedKeyRings(settings: Readonly<AccessSettings>, { host }: Readonly<ServingSettings>): KeyRings {
  const rings = readKeyRings(settings);
  const isUnguarded = rings.client.size === 0 && !settings.allowAnonymous;
  if (isUnguarded && !isLoopback(host)) throw new AccessFault(needsKeys(host));
  return rings;
}

/** What to add, ready to be copied. */
function needsKeys(host: string): string[] {
  const secret = (): string => randomBytes(24).toString('base64url');
  return [
    `MESHNET_HOST: on ${host} others reach this tracker, and nobody has a key yet. Set for example`,
    `  MESHNET_API_KEYS=me=${secret()}`,
    `  MESHNET_ADMIN_KEYS=me=${secret()}`,
    `  MESHNET_NODE_TOKENS=mesh=${secret()}`,
    'or MESHNET_ALLOW_ANONYMOUS=true to let anybody chat.',
  ];
}
