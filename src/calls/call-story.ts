import { candidateNotes, NOTHING_CONSIDERED, type CandidateNote, type Considered } from '../routing/index.js';
import type { RoutingSettings } from '../settings/index.js';
import type { AttemptNote, CallRecord } from './call-record.js';

/** A call with what its choices were made from: references to what the choices held anyway. */
export interface KeptCall {
  readonly record: CallRecord;
  /** One for each attempt. */
  readonly choices: readonly Considered[];
}

/** Answer of `GET /v1/calls/{id}`: a row of the list, and the candidates of each attempt as they stood. */
export interface CallStory extends CallRecord {
  readonly attempts: readonly (AttemptNote & { readonly candidates: readonly CandidateNote[] })[];
}

export function callStory({ record, choices }: KeptCall, settings: RoutingSettings): CallStory {
  const attempts = record.attempts.map((attempt, at) => ({
    ...attempt,
    candidates: candidateNotes(attempt.mode, choices[at] ?? NOTHING_CONSIDERED, settings),
  }));
  return { ...record, attempts };
}
