import { BlockList } from 'node:net';
import { classOf, familyOf, plainAddress, type AddressClass } from '../kernel/index.js';
import type { NodeNetworkSettings } from '../settings/index.js';

/** Where nodes that register themselves may be, as set; what is forbidden is so whatever a setting says. */
export class NetworkPolicy {
  private readonly classes = new Set<AddressClass>();
  private readonly ranges = new BlockList();

  constructor({ networks, hasNodeTokens }: NodeNetworkSettings) {
    const byDefault = hasNodeTokens
      ? (['loopback', 'private', 'public'] as const)
      : (['loopback', 'private'] as const);
    for (const network of networks ?? byDefault) {
      if (typeof network === 'string') this.classes.add(network);
      else this.ranges.addSubnet(network.address, network.prefix, familyOf(network.address));
    }
  }

  allows(address: string): boolean {
    const kind = classOf(address);
    if (kind === 'forbidden') return false;
    const plain = plainAddress(address);
    return this.classes.has(kind) || this.ranges.check(plain, familyOf(plain));
  }
}
