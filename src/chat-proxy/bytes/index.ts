/**
 * bytes: what the data plane does to bodies and streams, as pure functions and small state machines on bytes.
 *
 * Nothing is printed anew: a request is changed by splicing members into the client's own bytes, an answer is relayed
 * as the head's own bytes while a tap reads what it says. So numbers, escapes, key order and characters cut by a
 * packet's edge come through as they were. No sockets, no clock, no framework in here; {@link SseRelay} shows how
 * the relay uses it.
 */
export { repeatedMember, scanMembers, type JsonMember } from './json-members.js';
export { spliceMembers, type MemberEdit } from './splice.js';
export { readAnswer, readChunk, type AnswerFacts, type ChunkFacts, type Usage } from './completion-usage.js';
export { contentBytesOf } from './content-size.js';
export { isJsonObject, statusOfError, type InBandError } from './in-band-error.js';
export { badReasonOf, completenessOf, type Completeness, type FinishReasons } from './completion.js';
export { SseRelay, type PieceKind, type RelayPiece, type SseRelaySettings } from './sse-relay.js';
export { UsageTap } from './usage-tap.js';
