/**
 * registry: which nodes are here.
 *
 * Nodes register and live on leases by the monotonic clock; operators list servers that can't register (nodes
 * file, `--node`), which are probed three times a lease instead. Owns identities, endpoints, leases and the
 * known models with their number of layers. Chats report broken connections and the names in answers to it. Announces
 * joins and leaves; what they mean for routes is the topology's business. Source: ADR-0021 "Arms"; docs/node-protocol.md.
 */
export { isServing, type MeshNode, type NodeAccess, type NodeSource, type NodeSpec } from './node.js';
export { Heartbeat, isPlainHeartbeat } from './heartbeat.js';
export { Registration, specOfRegistration, type ProofFields } from './registration.js';
export { RegistryModule } from './registry.module.js';
export { RegistryService, type NodeReport, type Registered } from './registry.service.js';
export { NodesFileFault } from './nodes-file.js';
export { SignsOfLifeService } from './signs-of-life.service.js';
export { StaticNodesService } from './static-nodes.service.js';
