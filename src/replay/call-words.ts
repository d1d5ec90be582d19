import type { CandidateState, Expectation } from '../routing/index.js';
import type { LogPage } from './log-page.js';
import type { LoggedCall, Standing } from './logged-call.js';

/*
 * How a call stands on a page, in words of 8 bytes: the call, then its candidates, each with what was expected of it.
 *
 * call       ended at | seconds | tokens | probability | last ms | model, signature, last signature, standing | words, candidates, entries
 * candidate  prior | tps | mass | signature, hops, scouts and flags
 * expected   seconds | harm | optimistic | shown | in flight, number of loads | two loads a word
 */
const CALL_WORDS = 7;
const CANDIDATE_WORDS = 4;
const EXPECTED_WORDS = 5;

const STANDINGS: readonly Standing[] = ['counted', 'not_chosen', 'failed', 'client_left', 'no_sample'];
const STATUSES: readonly CandidateState['status'][] = ['proven', 'unsampled', 'stale', 'decayed'];

/** Flags of a candidate, above the two bits of its status. */
const BARRED = 4;
const MEASURED = 8;
const EXPECTED = 16;
const OPTIMISTIC = 32;
const SHOWN = 64;
const LOADED = 128;
/** Scouts in flight are counted in these. */
const SCOUT = 256;

/** How many entries a call counts as: itself and its candidates, each twice if more was expected of it. */
export function entriesOf({ candidates }: LoggedCall): number {
  const [first] = candidates;
  return 1 + candidates.length * (first?.expected === undefined ? 1 : 2);
}

export function wordsOf({ candidates }: LoggedCall): number {
  let words = CALL_WORDS;
  for (const { expected } of candidates) {
    words += CANDIDATE_WORDS;
    if (expected !== undefined) words += EXPECTED_WORDS + loadWords(expected.nodeLoads?.length ?? 0);
  }
  return words;
}

/** Writes a call behind those on the page, which has room for it. */
export function writeCall(page: LogPage, call: LoggedCall): void {
  const { numbers, halves, quarters, used: at } = page;
  const { candidates } = call;
  numbers[at] = call.endedAt;
  numbers[at + 1] = call.seconds;
  numbers[at + 2] = call.tokens;
  numbers[at + 3] = call.probability;
  numbers[at + 4] = call.lastMs;
  const texts = (at + 5) * 4;
  quarters[texts] = page.placeOf(call.model);
  quarters[texts + 1] = page.placeOf(call.signature);
  quarters[texts + 2] = page.placeOf(call.lastSignature);
  quarters[texts + 3] = STANDINGS.indexOf(call.standing);
  let end = at + CALL_WORDS;
  for (const candidate of candidates) end = writeCandidate(page, end, candidate);
  halves[(at + 6) * 2] = end - at;
  quarters[(at + 6) * 4 + 2] = candidates.length;
  quarters[(at + 6) * 4 + 3] = entriesOf(call);
  page.used = end;
}

function writeCandidate(page: LogPage, at: number, state: CandidateState): number {
  const { numbers, halves, quarters } = page;
  const { expected } = state;
  numbers[at] = state.priorTps;
  numbers[at + 1] = state.tps ?? 0;
  numbers[at + 2] = state.mass;
  quarters[(at + 3) * 4] = page.placeOf(state.signature);
  quarters[(at + 3) * 4 + 1] = state.hopCount;
  halves[(at + 3) * 2 + 1] = state.scoutsInFlight * SCOUT + flagsOf(state);
  return expected === undefined ? at + CANDIDATE_WORDS : writeExpected(page, at + CANDIDATE_WORDS, expected);
}

function flagsOf({ status, barred, tps, expected }: CandidateState): number {
  let flags = STATUSES.indexOf(status);
  if (barred) flags |= BARRED;
  if (tps !== null) flags |= MEASURED;
  if (expected === undefined) return flags;
  flags |= EXPECTED;
  if (expected.optimisticSeconds !== null) flags |= OPTIMISTIC;
  if (expected.shownSeconds !== undefined) flags |= SHOWN;
  return expected.nodeLoads === undefined ? flags : flags | LOADED;
}

function writeExpected({ numbers, halves }: LogPage, at: number, expected: Expectation): number {
  const loads = expected.nodeLoads ?? [];
  numbers[at] = expected.seconds;
  numbers[at + 1] = expected.harmSeconds;
  numbers[at + 2] = expected.optimisticSeconds ?? 0;
  numbers[at + 3] = expected.shownSeconds ?? 0;
  halves[(at + 4) * 2] = expected.inFlight;
  halves[(at + 4) * 2 + 1] = loads.length;
  halves.set(loads, (at + EXPECTED_WORDS) * 2);
  return at + EXPECTED_WORDS + loadWords(loads.length);
}

function loadWords(loads: number): number {
  return Math.ceil(loads / 2);
}

export function endedAtOf({ numbers }: LogPage, at: number): number {
  return numbers[at] ?? 0;
}

export function modelAt(page: LogPage, at: number): string {
  return page.textAt(page.quarters[(at + 5) * 4] ?? 0);
}

/** Where the call behind it begins. */
export function endOf({ halves }: LogPage, at: number): number {
  return at + (halves[(at + 6) * 2] ?? 0);
}

export function entriesAt({ quarters }: LogPage, at: number): number {
  return quarters[(at + 6) * 4 + 3] ?? 0;
}

/** The call that begins there, with the very numbers that were written. */
export function readCall(page: LogPage, at: number): LoggedCall {
  const { numbers, quarters } = page;
  const texts = (at + 5) * 4;
  const candidates: CandidateState[] = [];
  let next = at + CALL_WORDS;
  for (let left = quarters[(at + 6) * 4 + 2] ?? 0; left > 0; left -= 1) {
    const state = readCandidate(page, next);
    candidates.push(state);
    next += CANDIDATE_WORDS;
    if (state.expected !== undefined) next += EXPECTED_WORDS + loadWords(loadsAt(page, next));
  }
  return {
    model: modelAt(page, at),
    endedAt: endedAtOf(page, at),
    standing: STANDINGS[quarters[texts + 3] ?? 0] ?? 'not_chosen',
    seconds: numbers[at + 1] ?? 0,
    tokens: numbers[at + 2] ?? 0,
    signature: page.textAt(quarters[texts + 1] ?? 0),
    probability: numbers[at + 3] ?? 0,
    candidates,
    lastSignature: page.textAt(quarters[texts + 2] ?? 0),
    lastMs: numbers[at + 4] ?? 0,
  };
}

function readCandidate(page: LogPage, at: number): CandidateState {
  const { numbers, halves, quarters } = page;
  const word = halves[(at + 3) * 2 + 1] ?? 0;
  const state: CandidateState = {
    signature: page.textAt(quarters[(at + 3) * 4] ?? 0),
    hopCount: quarters[(at + 3) * 4 + 1] ?? 0,
    priorTps: numbers[at] ?? 0,
    status: STATUSES[word & 3] ?? 'unsampled',
    tps: (word & MEASURED) === 0 ? null : (numbers[at + 1] ?? 0),
    mass: numbers[at + 2] ?? 0,
    scoutsInFlight: Math.floor(word / SCOUT),
    barred: (word & BARRED) !== 0,
  };
  if ((word & EXPECTED) === 0) return state;
  return { ...state, expected: readExpected(page, at + CANDIDATE_WORDS, word) };
}

function readExpected(page: LogPage, at: number, flags: number): Expectation {
  const { numbers, halves } = page;
  const loads = (at + EXPECTED_WORDS) * 2;
  return {
    seconds: numbers[at] ?? 0,
    harmSeconds: numbers[at + 1] ?? 0,
    optimisticSeconds: (flags & OPTIMISTIC) === 0 ? null : (numbers[at + 2] ?? 0),
    inFlight: halves[(at + 4) * 2] ?? 0,
    ...((flags & SHOWN) === 0 ? {} : { shownSeconds: numbers[at + 3] ?? 0 }),
    ...((flags & LOADED) === 0 ? {} : { nodeLoads: [...halves.slice(loads, loads + loadsAt(page, at))] }),
  };
}

/** How many loads an expectation has. */
function loadsAt({ halves }: LogPage, at: number): number {
  return halves[(at + 4) * 2 + 1] ?? 0;
}
