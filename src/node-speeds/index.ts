/**
 * node-speeds: how fast each node is, and how it takes load.
 *
 * Routes overlap, so what a call took is ascribed to the nodes it passed. Seconds a token of a hop =
 * registered × e^(bias + drift) × (1 + slope × others running there); a prompt's token costs a share of that, and a
 * node that runs `slots` calls at once lets the others wait. Bias, drift and the prompt's share are log factors that an
 * extended Kalman filter corrects by each hop's share in the expected time; slope and slots are probabilities that
 * Bayes' rule re-weighs, each slope with a speed of its own. Measured: first tokens, a stream's progress every 5 s,
 * whole JSON answers, and silence that lasts longer than expected. Everything decays to its prior; a node
 * that registered no speed comes back to its own mean of the last day.
 *
 * Rejected: one estimate a route (nothing is known of a new route, and each epoch makes all of them strangers); one slope
 * for all nodes; a single speed beside the slope (a node only seen busy is then taken for fast and steep).
 * Whoever relays calls tells: `begin` when a route is taken, `firstToken`, `look` every 5 s, `finished` or `ended`.
 */
export { NodeSpeedsModule } from './node-speeds.module.js';
export { NodeSpeedsService } from './node-speeds.service.js';
export { NodeSpeeds, type CallAsk, type SpeedBelief } from './node-speeds.js';
export type { SpeedHop } from './node-state.js';
export type { CallWork, ExpectedDelay } from './route-delay.js';
export { speedConstants, type SpeedConstants } from './speed-constants.js';
export type { CallStart, WatchedCall } from './watched-call.js';
