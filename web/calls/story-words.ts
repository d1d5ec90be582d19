import type { Attempt, CallRecord, ConsideredRoute } from '../api/types.js';
import { percent } from '../parts/format.js';

const STATUS_WORDS: Readonly<Record<string, string>> = {
  unsampled: 'it had no sample yet',
  stale: 'its samples were from before the mesh changed',
  decayed: 'its samples had grown old',
};

/** Why an attempt's route was this one. */
export function decisionSentence(attempt: Attempt): string {
  const { mode, probability, signature, reason, candidates = [], candidates_not_kept: more = 0 } = attempt;
  if (typeof reason === 'string') return predictedSentence(mode, probability, reason);
  switch (mode) {
    case 'pinned':
      return 'Pinned: the client named this route. Nothing was chosen, and no other route may stand in.';
    case 'greedy-fallback':
      return 'Fallback: every candidate passed a node whose breaker is open. The one with the best prior was tried rather than refusing the call.';
    case 'control':
      return 'Control: a few chats go to the route with the fewest calls under way, so that what the policy earns can be told.';
    case 'exploit':
      return exploitSentence(probability, candidates, more > 0);
    case 'scout':
      return scoutSentence(probability, signature, candidates);
    default:
      return `Chosen as ${String(mode)}, with a chance of ${percent(probability)}.`;
  }
}

const PREDICTED_WORDS: Readonly<Record<string, string>> = {
  exploit: 'Exploit: here the answer was expected first',
  scout: 'Scout: it was idle, and may well be faster than it is believed to be',
  control: 'Control: a few chats go to the route with the fewest calls under way, for comparison',
};

/** Of a policy that predicts, and says what it expected. */
function predictedSentence(mode: string, probability: number, reason: string): string {
  return `${PREDICTED_WORDS[mode] ?? `Chosen as ${mode}`} (${reason}); it had a chance of ${percent(probability)}.`;
}

function exploitSentence(
  probability: number,
  candidates: readonly ConsideredRoute[],
  areMore: boolean,
): string {
  const proven = candidates.filter(isProvenAndEligible).length;
  const chance = `it had a chance of ${percent(probability)}`;
  if (proven === 1 && !areMore) return `Exploit: the only route that was proven; ${chance}.`;
  const among = proven === 0 || areMore ? 'the proven routes' : `${String(proven)} proven routes`;
  return `Exploit: drawn among ${among}, the faster the likelier; ${chance}.`;
}

function scoutSentence(
  probability: number,
  signature: string,
  candidates: readonly ConsideredRoute[],
): string {
  if (candidates.length > 0 && !candidates.some(isProvenAndEligible)) {
    return 'Scout: no route was proven, so the one with the best prior was taken.';
  }
  const status = candidates.find((candidate) => candidate.signature === signature)?.status ?? null;
  const why = status === null ? null : (STATUS_WORDS[status] ?? null);
  return `Scout: this route was not proven${why === null ? '' : ` (${why})`} and had the least evidence. ${percent(probability)} of chats scout.`;
}

function isProvenAndEligible({ status, left_out }: ConsideredRoute): boolean {
  return status === 'proven' && left_out === null;
}

/** Why a candidate was not to be chosen, or what kept it from scouting; empty where nothing did. */
export function candidateNote({ left_out, barred, scouts_in_flight: scouts }: ConsideredRoute): string {
  if (left_out === 'breaker_open') return 'left out: a breaker is open';
  if (left_out === 'resting') return 'left out: a node asked for rest';
  if (left_out === 'full') return 'left out: a node was full';
  if (barred === true) return 'no scouts for now: the last ones gave no sample';
  if (scouts !== null && scouts > 0) {
    return scouts === 1 ? 'a scout was under way' : `${String(scouts)} scouts were under way`;
  }
  return '';
}

/** A part of the time that a call took. */
export interface TimePart {
  readonly kind: 'queued' | 'tried' | 'waiting' | 'answering';
  readonly ms: number;
  /** Of the whole, 0 to 1. */
  readonly share: number;
}

/**
 * Where a call's time went: waiting for room, attempts that failed, waiting for the first token, and the answer.
 * A call that is open is told up to now.
 */
export function timeParts(call: CallRecord): TimePart[] {
  const whole = call.total_ms ?? call.age_ms ?? 0;
  if (whole <= 0) return [];
  let left = whole;
  const take = (ms: number): number => {
    const taken = Math.min(Math.max(ms, 0), left);
    left -= taken;
    return taken;
  };
  const queued = take(call.queued_ms);
  const failed = call.attempts.slice(0, -1).reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  const tried = take(failed);
  const waiting = take(call.ttft_ms === null ? left : call.ttft_ms - queued - tried);
  const parts = [
    { kind: 'queued', ms: queued },
    { kind: 'tried', ms: tried },
    { kind: 'waiting', ms: waiting },
    { kind: 'answering', ms: left },
  ] as const;
  return parts.filter(({ ms }) => ms > 0).map(({ kind, ms }) => ({ kind, ms, share: ms / whole }));
}

/** Attempts one after the other on one axis, each from where the one before ended; shares of the longest stretch. */
export function attemptBars(call: CallRecord): { readonly from: number; readonly width: number }[] {
  const whole = call.total_ms ?? call.age_ms ?? 0;
  let at = call.queued_ms;
  const spans = call.attempts.map(({ ms }) => {
    const from = Math.min(at, whole);
    const until = ms === null ? whole : Math.min(from + ms, whole);
    at = until;
    return { from, until };
  });
  return spans.map(({ from, until }) =>
    whole <= 0 ? { from: 0, width: 0 } : { from: from / whole, width: (until - from) / whole },
  );
}
