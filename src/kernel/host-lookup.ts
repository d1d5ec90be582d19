import { lookup as resolve, type LookupOptions } from 'node:dns';

/** One address of a name. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds all addresses of a name, the one to be tried first in front. */
export type HostLookup = (
  hostname: string,
  options: Pick<LookupOptions, 'family' | 'hints'>,
  found: (fault: Error | null, addresses: readonly FoundAddress[]) => void,
) => void;

/** Injection token of the {@link HostLookup}. */
export const HOST_LOOKUP = Symbol('HostLookup');

/** The system's own resolver. */
export const systemLookup: HostLookup = (hostname, options, found) =>
  resolve(hostname, { ...options, all: true }, found);
