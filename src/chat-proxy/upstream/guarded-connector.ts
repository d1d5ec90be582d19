import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { EndpointRefused, type EndpointOwner, type NodeNetworksService } from '../../node-networks/index.js';
import { HeadFault } from './head-fault.js';

/** Where to: the parts of a URL. */
export type ConnectionTarget = Pick<URL, 'host' | 'hostname' | 'protocol' | 'port'>;

/** Opens a connection and tells once what came of it, never before it returns. */
export type Connector = (
  target: ConnectionTarget,
  connected: (fault: Error | null, socket: Socket | null) => void,
) => void;

/**
 * Connects only to where a node may be, and judges that anew for each connection: a name may lead elsewhere by now. No
 * socket is opened to find out.
 */
export function guardedConnector(
  networks: NodeNetworksService,
  ownerOf: () => EndpointOwner,
  timeoutMs: number,
): Connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: networks.lookup(ownerOf) });
  return ({ host, hostname: bracketed, protocol, port }, connected) => {
    // As URLs write an IPv6 address, and nobody else does.
    const hostname = bracketed.replace(/^\[(.*)\]$/, '$1');
    if (!networks.mayConnect(hostname, ownerOf())) {
      // As late as a connection's own faults: whoever asked has not stored its answer yet.
      setImmediate(() => connected(new EndpointRefused(), null));
      return;
    }
    connect({ host, hostname, protocol, port }, (fault, socket) => {
      if (fault === null) connected(null, socket);
      else connected(isTimeout(fault) ? new HeadFault('connect_timeout') : fault, null);
    });
  };
}

function isTimeout(fault: Error): boolean {
  return 'code' in fault && fault.code === 'UND_ERR_CONNECT_TIMEOUT';
}
