export { SLOPES, SLOTS } from './load-shape.js';
export { NodeSpeeds, type CallAsk, type NodeState, type SpeedHop } from './node-speeds.js';
export type { CallWork, ExpectedDelay } from './route-delay.js';
export { SPEED_CONSTANTS, type SpeedConstants } from './speed-constants.js';
export type { CallStart, WatchedCall } from './watched-call.js';
