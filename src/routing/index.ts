/**
 * routing: choose one candidate for each call, and show why.
 *
 * `choose(candidates, settings, rng)` is the seam; a new policy is a new file behind it and one line in `policies.ts`.
 * The default, `proportional`, is ADR-0021's: scout with probability explore_share while a route is unproven, else
 * P ∝ tps^alpha among the proven; nothing proven: the best prior, deterministic. A pinned call bypasses it. Every
 * decision carries the probability with which it was taken. `GET /v1/routing` shows the whole table.
 *
 * `least-expected-delay` picks the route on which the call is expected to be done first, by what node-speeds believes of each
 * node and what each holds now; a few calls scout, and a control group goes by least in-flight. docs/policies.md compares,
 * docs/routing-policies.md says what it shows. Of node-speeds only such a policy asks; each choice is taken in the same
 * step as its ticket, so that the next one sees it.
 */
export { AdmissionService, type Admission } from './admission.service.js';
export { candidateNotes, type CandidateNote } from './candidate-notes.js';
export { candidateEnd, candidateWords, readCandidate, writeCandidate } from './candidate-words.js';
export { choiceWords } from './choice-words.js';
export { NOTHING_CONSIDERED, type Considered, type LeftOut } from './considered.js';
export { ExpectationsService } from './expectations.service.js';
export { pinnedRoute } from './pinned-route.js';
export { POLICIES } from './policies.js';
export type { CandidateState, Choice, Expectation, Policy, PolicySettings } from './policy.js';
export { RoutingModule } from './routing.module.js';
export { RoutingTableService, type ModelRouting } from './routing-table.service.js';
export { Resting, RoutingService, type Decision, type Full, type RouteMode } from './routing.service.js';
