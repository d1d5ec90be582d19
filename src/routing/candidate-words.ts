import type { WordPage } from '../kernel/index.js';
import type { CandidateState, Expectation } from './policy.js';

/*
 * How a candidate stands on a page, in words of 8 bytes, behind it what was expected of it.
 *
 * candidate  prior | tps | mass | signature, hops, scouts and flags | where they count: nothings | steadiness
 * expected   seconds | harm | optimistic | shown | in flight, number of loads | two loads a word
 */
const CANDIDATE_WORDS = 4;
const DOUBT_WORDS = 2;
const EXPECTED_WORDS = 5;

const STATUSES: readonly CandidateState['status'][] = ['proven', 'unsampled', 'stale', 'decayed'];

/** Flags of a candidate, above the two bits of its status. */
const BARRED = 4;
const MEASURED = 8;
const EXPECTED = 16;
const OPTIMISTIC = 32;
const SHOWN = 64;
const LOADED = 128;
const DOUBTED = 256;
/** Scouts in flight are counted in these. */
const SCOUT = 512;

export function candidateWords(state: CandidateState): number {
  const { expected } = state;
  const words = CANDIDATE_WORDS + (isDoubted(state) ? DOUBT_WORDS : 0);
  if (expected === undefined) return words;
  return words + EXPECTED_WORDS + loadWords(expected.nodeLoads?.length ?? 0);
}

/** Hardly any is. */
function isDoubted({ nothings, steadiness }: CandidateState): boolean {
  return nothings > 0 || steadiness < 1;
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
  let end = at + CANDIDATE_WORDS;
  if (isDoubted(state)) {
    numbers[end] = state.nothings;
    numbers[end + 1] = state.steadiness;
    end += DOUBT_WORDS;
  }
  return expected === undefined ? end : writeExpected(page, end, expected);
}

function flagsOf(state: CandidateState): number {
  const { status, barred, tps, expected } = state;
  let flags = STATUSES.indexOf(status);
  if (barred) flags |= BARRED;
  if (tps !== null) flags |= MEASURED;
  if (isDoubted(state)) flags |= DOUBTED;
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
    nothings: (word & DOUBTED) === 0 ? 0 : (numbers[at + CANDIDATE_WORDS] ?? 0),
    steadiness: (word & DOUBTED) === 0 ? 1 : (numbers[at + CANDIDATE_WORDS + 1] ?? 1),
  };
  if ((word & EXPECTED) === 0) return state;
  return { ...state, expected: readExpected(page, factsEnd(at, word), word) };
}

/** Where a candidate ends but for what was expected of it. */
function factsEnd(at: number, word: number): number {
  return at + CANDIDATE_WORDS + ((word & DOUBTED) === 0 ? 0 : DOUBT_WORDS);
}

/** Where the candidate that begins there ends. */
export function candidateEnd(page: WordPage, at: number): number {
  const word = wordOf(page, at);
  const expected = factsEnd(at, word);
  if ((word & EXPECTED) === 0) return expected;
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
