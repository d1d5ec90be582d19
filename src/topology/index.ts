/**
 * topology: per model, who serves which layers, and the epoch.
 *
 * A model's epoch starts at 1 with its first node and grows by one, at once, with every join, leave and shard
 * change; heartbeats, load, speed and reputation never touch it. Nobody else counts epochs. Each bump is
 * published on the bus. Source: ADR-0021 "Statistics: decayed EWMA + topology epochs".
 */
export {
  viewOf,
  without,
  withoutSpared,
  type CoverageGap,
  type ModelView,
  type ServingNode,
} from './model-view.js';
export { TopologyModule } from './topology.module.js';
export { TopologyService } from './topology.service.js';
