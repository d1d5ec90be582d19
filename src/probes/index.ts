/**
 * probes: whether the tracker lives (`/healthz`) and whether new chats should come (`/readyz`).
 *
 * Ready once listening and every listed server was asked once, whether or not any node is here; not ready while
 * starting or draining.
 */
export { ProbesModule } from './probes.module.js';
export { ReadinessService, type ReadinessState } from './readiness.service.js';
