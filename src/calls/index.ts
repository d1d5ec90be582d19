/**
 * calls: what happened.
 *
 * Keeps the open calls and the newest 1,000 finished ones, announces `route.selected` and `call.finished`, writes one
 * structured log line a call, and serves `GET /v1/calls`, `/v1/calls/{id}` and the stream `GET /v1/events`. A record says
 * which route served a call and why, which node failed it, what became of the sample, and each hop's work units
 * (completion tokens × layers); asked for one call alone, also the candidates of each attempt as they stood. It never
 * holds a prompt, an answer or a key.
 */
export type { AttemptEnding, AttemptNote, CallOutcome, CallRecord, SampleNote } from './call-record.js';
export { Call, NOTHING_DONE, type CallEnding } from './call.js';
export type { CallStory } from './call-story.js';
export { CallsModule } from './calls.module.js';
export { CallsService, type OpenCalls } from './calls.service.js';
export { EventsService } from './events.service.js';
export { TOKEN_GAP_BOUNDS_SECONDS } from './token-gaps.js';
