/**
 * replay: what another setting of routing would have earned.
 *
 * Each choice carries its probability, and each finished call what it was chosen from. Where choices were random, the
 * calls can be weighed anew: `w = π(route) / p`, π being the proposed policy's own shares of the candidates as they stood.
 * Two estimates: `Σ w r / Σ w`, which believes the probabilities alone, and the doubly robust one,
 * `mean(Σ π q + w (r − q))`, q being the learned speed, which is closer. `GET /v1/routing/replay` gives both with their
 * 95 % intervals, or says `cannot_tell` and why: the log had no randomness, lacks the routes proposed, or calls slow each
 * other down, so that another choice would have changed the speeds themselves. A day of calls is kept, in memory and
 * at most 4 MB, outside of the heap; rejected: keeping it on disk, since the speeds of last week's mesh are no guide to this one's.
 * Source: docs/adr/0015-replay.md.
 */
export { ReplayModule } from './replay.module.js';
