/**
 * nodes-api: the HTTP face of registry, topology and node-health.
 *
 * `POST /v1/nodes`, heartbeats and goodbyes on leases, the list of nodes and the operators' drain, resume and
 * delete. A room of its own because an answer tells an epoch (topology) and a row shows in-flight and reputation
 * (node-health), both above the registry. Contract: docs/node-protocol.md.
 */
export { NodesApiModule } from './nodes-api.module.js';
export type { NodeRow } from './node-row.js';
