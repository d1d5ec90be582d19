import type { WordPage } from '../kernel/index.js';
import type { CandidateState, Expectation } from './policy.js';

/*
 * How a candidate stands on a page, in words of 8 bytes, behind it what was expected of it.
 *
 * candidate  prior | tps | mass | signature, hops, scouts and flags
 * expected   seconds | harm | optimistic | shown | in flight, number of loads | two loads a word
 */
const CANDIDATE_WORDS = 4;
const EXPECTED_WORDS = 5;

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

export function candidateWords({ expected }: CandidateState): number {
  if (expected === undefined) return CANDIDATE_WORDS;
  return CANDIDATE_WORDS + EXPECTED_WORDS + loadWords(expected.nodeLoads?.length ?? 0);
}

/** @returns where it ends; the page has room for it */
export function writeCandidate(page: WordPage, at: number, state: CandidateState): number {
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

function writeExpected({ numbers, halves }: WordPage, at: number, expected: Expectation): number {
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

/** The candidate that begins there, with the very numbers that were written. */
export function readCandidate(page: WordPage, at: number): CandidateState {
  const { numbers, quarters } = page;
  const word = wordOf(page, at);
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

/** Where the candidate that begins there ends. */
export function candidateEnd(page: WordPage, at: number): number {
  if ((wordOf(page, at) & EXPECTED) === 0) return at + CANDIDATE_WORDS;
  const expected = at + CANDIDATE_WORDS;
  return expected + EXPECTED_WORDS + loadWords(loadsAt(page, expected));
}

function readExpected(page: WordPage, at: number, flags: number): Expectation {
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

/** Scouts and flags. */
function wordOf({ halves }: WordPage, at: number): number {
  return halves[(at + 3) * 2 + 1] ?? 0;
}

/** How many loads an expectation has. */
function loadsAt({ halves }: WordPage, at: number): number {
  return halves[(at + 4) * 2 + 1] ?? 0;
}
