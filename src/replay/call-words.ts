import type { WordPage } from '../kernel/index.js';
import {
  candidateEnd,
  candidateWords,
  readCandidate,
  writeCandidate,
  type CandidateState,
} from '../routing/index.js';
import type { LoggedCall, Standing } from './logged-call.js';

/*
 * How a call stands on a page, in words of 8 bytes, behind it its candidates.
 *
 * ended at | seconds | tokens | probability | last ms | model, signature, last signature, standing | words, candidates, entries
 */
const CALL_WORDS = 7;

const STANDINGS: readonly Standing[] = [
  'counted',
  'not_chosen',
  'failed',
  'client_left',
  'no_sample',
  'not_all_kept',
];

/** How many entries a call counts as: itself and its candidates, each twice if more was expected of it. */
export function entriesOf({ candidates }: LoggedCall): number {
  const [first] = candidates;
  return 1 + candidates.length * (first?.expected === undefined ? 1 : 2);
}

export function wordsOf({ candidates }: LoggedCall): number {
  let words = CALL_WORDS;
  for (const candidate of candidates) words += candidateWords(candidate);
  return words;
}

/** Writes a call behind those on the page, which has room for it. */
export function writeCall(page: WordPage, call: LoggedCall): void {
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

export function endedAtOf({ numbers }: WordPage, at: number): number {
  return numbers[at] ?? 0;
}

export function modelAt(page: WordPage, at: number): string {
  return page.textAt(page.quarters[(at + 5) * 4] ?? 0);
}

/** Where the call behind it begins. */
export function endOf({ halves }: WordPage, at: number): number {
  return at + (halves[(at + 6) * 2] ?? 0);
}

export function entriesAt({ quarters }: WordPage, at: number): number {
  return quarters[(at + 6) * 4 + 3] ?? 0;
}

/** The call that begins there, with the very numbers that were written. */
export function readCall(page: WordPage, at: number): LoggedCall {
  const { numbers, quarters } = page;
  const texts = (at + 5) * 4;
  const candidates: CandidateState[] = [];
  let next = at + CALL_WORDS;
  for (let left = quarters[(at + 6) * 4 + 2] ?? 0; left > 0; left -= 1) {
    candidates.push(readCandidate(page, next));
    next = candidateEnd(page, next);
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
