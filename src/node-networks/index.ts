/**
 * node-networks: which addresses the tracker connects to.
 *
 * Whoever registers a node makes the tracker send it chats, so an endpoint is judged as if it were an attack: an address
 * that it spells out when it registers, and every address, names' included, when a connection is made, by the very
 * address that is then connected to. What no network allows (kernel/address.ts) is refused to operators' own servers too;
 * the rest follows `MESHNET_NODE_NETWORKS` for nodes that register themselves. docs/adr/0018 says why so.
 */
export { EndpointRefused, isEndpointRefused } from './endpoint-refused.js';
export { NodeNetworksModule } from './node-networks.module.js';
export { NodeNetworksService, type EndpointOwner } from './node-networks.service.js';
