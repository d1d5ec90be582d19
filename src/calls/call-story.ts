import {
  candidateNotes,
  choiceWords,
  NOTHING_CONSIDERED,
  type CandidateNote,
  type Considered,
} from '../routing/index.js';
import type { RoutingSettings } from '../settings/index.js';
import type { AttemptNote, CallRecord } from './call-record.js';

/** A call with what its choices were made from: references to what the choices held anyway. */
export interface KeptCall {
  readonly record: CallRecord;
  /** One for each attempt. */
  readonly choices: readonly Considered[];
}

/** An attempt, and why its route was chosen. */
export interface AttemptStory extends AttemptNote {
  /** In words, where the policy predicts; else null. */
  readonly reason: string | null;
  readonly candidates: readonly CandidateNote[];
  /** How many more there were. */
  readonly candidates_not_kept: number;
}

/** Answer of `GET /v1/calls/{id}`: a row of the list, and the candidates of each attempt as they stood. */
export interface CallStory extends CallRecord {
  readonly attempts: readonly AttemptStory[];
}

export function callStory({ record, choices }: KeptCall, settings: RoutingSettings): CallStory {
  const attempts = record.attempts.map((attempt, at) => {
    const { mode, signature } = attempt;
    const considered = choices[at] ?? NOTHING_CONSIDERED;
    const reason = choiceWords(mode, signature, considered);
    const { moreEligible = 0, moreLeftOut = 0 } = considered;
    const candidates = candidateNotes(mode, considered, settings);
    return { ...attempt, reason, candidates, candidates_not_kept: moreEligible + moreLeftOut };
  });
  return { ...record, attempts };
}
