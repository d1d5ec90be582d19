import type { LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import {
  classOf,
  HOST_LOOKUP,
  InvalidRequestError,
  isMetadataName,
  literalAddress,
  type FoundAddress,
  type HostLookup,
} from '../kernel/index.js';
import { NODE_NETWORK_SETTINGS, type NodeNetworkSettings } from '../settings/index.js';
import { EndpointRefused } from './endpoint-refused.js';
import { NetworkPolicy } from './network-policy.js';

/** Who named an endpoint: a node itself, or an operator, who may have it anywhere that isn't forbidden. */
export type EndpointOwner = 'node' | 'operator';

/** Judges endpoints when nodes register and whenever a connection is made; asks nothing in between. */
@Injectable()
export class NodeNetworksService {
  private readonly policy: NetworkPolicy;

  constructor(
    @Inject(NODE_NETWORK_SETTINGS) settings: NodeNetworkSettings,
    @Inject(HOST_LOOKUP) private readonly resolve: HostLookup,
  ) {
    this.policy = new NetworkPolicy(settings);
  }

  /**
   * Of an endpoint that a node registers; a name is judged when it is connected to, since it may change until then.
   *
   * @throws InvalidRequestError
   */
  checkRegistered(endpoint: string): void {
    const { hostname } = new URL(endpoint);
    const address = literalAddress(hostname) ?? (isLocalhost(hostname) ? '127.0.0.1' : null);
    if (address === null || this.policy.allows(address)) return;
    const rule =
      classOf(address) === 'public'
        ? 'may be public only where nodes have tokens (MESHNET_NODE_TOKENS) or MESHNET_NODE_NETWORKS allows it'
        : 'must be in a network that MESHNET_NODE_NETWORKS allows';
    throw new InvalidRequestError(`endpoint ${rule}: its operator may set that.`, 'endpoint');
  }

  /**
   * Whether a connection to this host may be tried. Sockets look up names alone: an address has to be asked for here.
   *
   * @param hostname an address, with or without brackets, or a name
   */
  mayConnect(hostname: string, owner: EndpointOwner): boolean {
    const address = literalAddress(hostname);
    return address === null ? !isMetadataName(hostname.toLowerCase()) : this.allows(address, owner);
  }

  /** A socket's lookup that finds only addresses which may be connected to; the socket takes one of these as it is. */
  lookup(ownerOf: () => EndpointOwner): LookupFunction {
    return (hostname, { all = false, family, hints }, callback) => {
      const wanted = { family: family ?? 0, hints: hints ?? 0 };
      this.resolve(hostname, wanted, (fault, found) => {
        // Then no addresses are given, not even none.
        if (fault !== null) {
          callback(fault, '');
          return;
        }
        const owner = ownerOf();
        const allowed = found.filter(({ address }) => this.allows(address, owner));
        const [first] = allowed;
        if (first === undefined) callback(new EndpointRefused(), '');
        else if (all) callback(null, mutable(allowed));
        else callback(null, first.address, first.family);
      });
    };
  }

  private allows(address: string, owner: EndpointOwner): boolean {
    return owner === 'operator' ? classOf(address) !== 'forbidden' : this.policy.allows(address);
  }
}

function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}

function mutable(addresses: readonly FoundAddress[]): { address: string; family: number }[] {
  return [...addresses];
}
