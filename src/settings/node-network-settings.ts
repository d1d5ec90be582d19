import { isIP } from 'node:net';
import { IsArray, ValidateIf } from '../kernel/index.js';
import type { AccessSettings } from './access-settings.js';
import { Setting } from './setting.decorator.js';

const CLASSES = ['loopback', 'private', 'public'] as const;

/** Networks that nodes may be in: all addresses of a class, or those with a prefix. */
export type NodeNetwork = (typeof CLASSES)[number] | { readonly address: string; readonly prefix: number };

/** `10.0.0.0/8, fd12::/16, loopback`; `undefined` when one of them can't be read. */
export function readNetworks(text: string): NodeNetwork[] | undefined {
  const networks = text.split(',').map((part) => readNetwork(part.trim()));
  return networks.every((network) => network !== undefined) ? networks : undefined;
}

function readNetwork(text: string): NodeNetwork | undefined {
  const named = CLASSES.find((name) => name === text.toLowerCase());
  if (named !== undefined) return named;
  const [, address = '', digits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return undefined;
  const bits = family === 4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix <= bits ? { address, prefix } : undefined;
}

/** Which addresses nodes may have that register themselves. */
export class NodeNetworkSettings {
  @Setting({
    env: 'MESHNET_NODE_NETWORKS',
    range: 'a list of networks such as 10.0.0.0/8,fd00::/8 or of the words loopback, private, public',
    help: 'where nodes that register may be; without: loopback and private, public only with node tokens',
    read: readNetworks,
  })
  @ValidateIf((settings: NodeNetworkSettings) => settings.networks !== null)
  @IsArray()
  networks: readonly NodeNetwork[] | null = null;

  /** Whether nodes need a token to register: then those at public addresses are no strangers. */
  hasNodeTokens = false;
}

/** The tokens are another part's; that there are some decides here. */
export function withNodeTokens(
  settings: Readonly<NodeNetworkSettings>,
  { nodeTokens, nodeTokensFile }: Readonly<AccessSettings>,
): Readonly<NodeNetworkSettings> {
  return Object.freeze({ ...settings, hasNodeTokens: nodeTokens.length > 0 || nodeTokensFile !== null });
}
