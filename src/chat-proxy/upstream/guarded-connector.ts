import { buildConnector } from 'undici';
import { EndpointRefused, type EndpointOwner, type NodeNetworksService } from '../../node-networks/index.js';

/**
 * Connects only to where a node may be, and judges that anew for each connection: a name may lead elsewhere by now. No
 * socket is opened to find out.
 */
export function guardedConnector(
  networks: NodeNetworksService,
  ownerOf: () => EndpointOwner,
  timeoutMs: number,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: networks.lookup(ownerOf) });
  return (options, connected) => {
    if (networks.mayConnect(options.hostname, ownerOf())) connect(options, connected);
    // As late as a connection's own faults: whoever asked has not stored its answer yet.
    else setImmediate(() => connected(new EndpointRefused(), null));
  };
}
