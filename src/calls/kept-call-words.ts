import { isoTime, type WordPage } from '../kernel/index.js';
import {
  candidateEnd,
  candidateWords,
  readCandidate,
  writeCandidate,
  type CandidateState,
  type Considered,
  type LeftOut,
} from '../routing/index.js';
import type { AttemptNote, CallRecord, RoutingNote, WorkUnits } from './call-record.js';
import type { KeptCall } from './call-story.js';

/*
 * How a finished call stands on a page, in words of 8 bytes. A text is the half of a word: 0 is none, else its place and
 * one more. The call's own id is of no other call, so its characters stand there, four a word.
 *
 * call       began at | queued ms | prompt tokens | completion tokens | tps | first token ms | total ms | probability |
 *            words, flags | model, key | outcome, cause | sample, mode | signature, length of the id |
 *            attempts, work units | choices, 0 | id, attempts, work units, choices
 * attempt    probability | ms | status | signature, mode | outcome, cause | node that failed, flags
 * work unit  start | end | units | node, 0
 * choice     candidates, left out | how many more of each | shares, if there are more | candidates |
 *            left out, each its reason, 0 | candidate
 */
const CALL_WORDS = 15;
const ATTEMPT_WORDS = 6;
const UNIT_WORDS = 4;

/** Flags of a call. */
const STREAM = 1;
const ESTIMATED = 2;
const PROMPT = 4;
const COMPLETION = 8;
const SPEED = 16;
const FIRST_TOKEN = 32;
const TOTAL = 64;

/** How many candidates of each kind are kept and are not. */
const CHOICE_WORDS = 2;

/** Flags of an attempt. */
const STATUS = 1;
const TIMED = 2;

export function keptCallWords({ record, choices }: KeptCall): number {
  let words = CALL_WORDS + Math.ceil(record.request_id.length / 4);
  words += record.attempts.length * ATTEMPT_WORDS + record.work_units.length * UNIT_WORDS;
  for (const { eligible, leftOut, shares } of choices) {
    words += CHOICE_WORDS + (shares?.length ?? 0);
    for (const state of eligible) words += candidateWords(state);
    for (const { state } of leftOut) words += 1 + candidateWords(state);
  }
  return words;
}

/**
 * Writes a finished call behind those on the page, which has room for it.
 *
 * @param beganAt Unix ms; what the record says of that is made of it again
 */
export function writeKeptCall(page: WordPage, { record, choices }: KeptCall, beganAt: number): void {
  const at = page.used;
  writeCallNumbers(page, at, record, beganAt);
  writeCallTexts(page, at, record);
  let end = writeId(page, at + CALL_WORDS, record.request_id);
  for (const note of record.attempts) end = writeAttempt(page, end, note);
  for (const unit of record.work_units) end = writeUnit(page, end, unit);
  for (const considered of choices) end = writeChoice(page, end, considered);
  const { halves } = page;
  halves[(at + 8) * 2] = end - at;
  halves[(at + 12) * 2 + 1] = record.request_id.length;
  halves[(at + 13) * 2] = record.attempts.length;
  halves[(at + 13) * 2 + 1] = record.work_units.length;
  halves[(at + 14) * 2] = choices.length;
  page.used = end;
}

function writeCallNumbers(
  { numbers, halves }: WordPage,
  at: number,
  record: CallRecord,
  beganAt: number,
): void {
  numbers[at] = beganAt;
  numbers[at + 1] = record.queued_ms;
  numbers[at + 2] = record.prompt_tokens ?? 0;
  numbers[at + 3] = record.completion_tokens ?? 0;
  numbers[at + 4] = record.tps ?? 0;
  numbers[at + 5] = record.ttft_ms ?? 0;
  numbers[at + 6] = record.total_ms ?? 0;
  numbers[at + 7] = record.routing === null ? 0 : record.routing.probability;
  halves[(at + 8) * 2 + 1] = flagsOf(record);
}

function flagsOf(record: CallRecord): number {
  let flags = record.stream ? STREAM : 0;
  if (record.tokens_estimated) flags |= ESTIMATED;
  if (record.prompt_tokens !== null) flags |= PROMPT;
  if (record.completion_tokens !== null) flags |= COMPLETION;
  if (record.tps !== null) flags |= SPEED;
  if (record.ttft_ms !== null) flags |= FIRST_TOKEN;
  return record.total_ms === null ? flags : flags | TOTAL;
}

function writeCallTexts(page: WordPage, at: number, record: CallRecord): void {
  const { halves } = page;
  const { routing } = record;
  const texts = (at + 9) * 2;
  halves[texts] = markOf(page, record.model);
  halves[texts + 1] = markOf(page, record.key_name);
  halves[texts + 2] = markOf(page, record.outcome);
  halves[texts + 3] = markOf(page, record.cause);
  halves[texts + 4] = markOf(page, record.sample);
  halves[texts + 5] = routing === null ? 0 : markOf(page, routing.mode);
  halves[texts + 6] = routing === null ? 0 : markOf(page, routing.signature);
}

function writeId({ quarters }: WordPage, at: number, id: string): number {
  const begin = at * 4;
  for (let n = 0; n < id.length; n += 1) quarters[begin + n] = id.charCodeAt(n);
  return at + Math.ceil(id.length / 4);
}

function writeAttempt(page: WordPage, at: number, note: AttemptNote): number {
  const { numbers, halves } = page;
  numbers[at] = note.probability;
  numbers[at + 1] = note.ms ?? 0;
  numbers[at + 2] = note.status ?? 0;
  const texts = (at + 3) * 2;
  halves[texts] = markOf(page, note.signature);
  halves[texts + 1] = markOf(page, note.mode);
  halves[texts + 2] = markOf(page, note.outcome);
  halves[texts + 3] = markOf(page, note.cause);
  halves[texts + 4] = markOf(page, note.failed_node_id);
  halves[texts + 5] = (note.status === null ? 0 : STATUS) | (note.ms === null ? 0 : TIMED);
  return at + ATTEMPT_WORDS;
}

function writeUnit(page: WordPage, at: number, unit: WorkUnits): number {
  const { numbers, halves } = page;
  numbers[at] = unit.start_layer;
  numbers[at + 1] = unit.end_layer;
  numbers[at + 2] = unit.work_units;
  halves[(at + 3) * 2] = markOf(page, unit.node_id);
  return at + UNIT_WORDS;
}

function writeChoice(page: WordPage, at: number, considered: Considered): number {
  const { numbers, halves } = page;
  const { eligible, leftOut, shares = [], moreEligible = 0, moreLeftOut = 0 } = considered;
  halves[at * 2] = eligible.length;
  halves[at * 2 + 1] = leftOut.length;
  halves[at * 2 + 2] = moreEligible;
  halves[at * 2 + 3] = moreLeftOut;
  numbers.set(shares, at + CHOICE_WORDS);
  let end = at + CHOICE_WORDS + shares.length;
  for (const state of eligible) end = writeCandidate(page, end, state);
  for (const { state, reason } of leftOut) {
    halves[end * 2] = markOf(page, reason);
    end = writeCandidate(page, end + 1, state);
  }
  return end;
}

function markOf(page: WordPage, text: string | null): number {
  return text === null ? 0 : page.placeOf(text) + 1;
}

/** Where the call behind it begins. */
export function keptCallEnd(page: WordPage, at: number): number {
  return at + half(page, at + 8, 0);
}

/** Whether the call that begins there has this id. */
export function isCallOf(page: WordPage, at: number, id: string): boolean {
  return half(page, at + 12, 1) === id.length && idAt(page, at) === id;
}

function idAt(page: WordPage, at: number): string {
  const begin = (at + CALL_WORDS) * 4;
  const length = half(page, at + 12, 1);
  let id = '';
  for (const code of page.quarters.subarray(begin, begin + length)) id += String.fromCharCode(code);
  return id;
}

/** The record of the call that begins there, with the very values that were written. */
export function readRecord(page: WordPage, at: number): CallRecord {
  const flags = half(page, at + 8, 1);
  const number = (word: number, flag: number): number | null =>
    (flags & flag) === 0 ? null : double(page, at + word);
  return {
    request_id: idAt(page, at),
    started_at: isoTime(double(page, at)),
    model: text(page, at + 9, 0),
    stream: (flags & STREAM) !== 0,
    key_name: textOrNull(page, at + 9, 1),
    routing: readRouting(page, at),
    attempts: readAttempts(page, at),
    outcome: textOrNull(page, at + 10, 0) as CallRecord['outcome'],
    cause: textOrNull(page, at + 10, 1),
    prompt_tokens: number(2, PROMPT),
    completion_tokens: number(3, COMPLETION),
    tokens_estimated: (flags & ESTIMATED) !== 0,
    tps: number(4, SPEED),
    queued_ms: double(page, at + 1),
    ttft_ms: number(5, FIRST_TOKEN),
    total_ms: number(6, TOTAL),
    sample: textOrNull(page, at + 11, 0) as CallRecord['sample'],
    work_units: readUnits(page, at),
  };
}

function readRouting(page: WordPage, at: number): RoutingNote | null {
  const mode = textOrNull(page, at + 11, 1) as RoutingNote['mode'] | null;
  if (mode === null) return null;
  return { mode, signature: text(page, at + 12, 0), probability: double(page, at + 7) };
}

function readAttempts(page: WordPage, at: number): AttemptNote[] {
  const begin = attemptsAt(page, at);
  return Array.from({ length: half(page, at + 13, 0) }, (_, n) =>
    readAttempt(page, begin + n * ATTEMPT_WORDS),
  );
}

function readAttempt(page: WordPage, at: number): AttemptNote {
  const flags = half(page, at + 5, 1);
  return {
    signature: text(page, at + 3, 0),
    mode: text(page, at + 3, 1) as AttemptNote['mode'],
    probability: double(page, at),
    outcome: textOrNull(page, at + 4, 0) as AttemptNote['outcome'],
    status: (flags & STATUS) === 0 ? null : double(page, at + 2),
    ms: (flags & TIMED) === 0 ? null : double(page, at + 1),
    failed_node_id: textOrNull(page, at + 5, 0),
    cause: textOrNull(page, at + 4, 1),
  };
}

function readUnits(page: WordPage, at: number): WorkUnits[] {
  const begin = unitsAt(page, at);
  return Array.from({ length: half(page, at + 13, 1) }, (_, n) => readUnit(page, begin + n * UNIT_WORDS));
}

function readUnit(page: WordPage, at: number): WorkUnits {
  return {
    node_id: text(page, at + 3, 0),
    start_layer: double(page, at),
    end_layer: double(page, at + 1),
    work_units: double(page, at + 2),
  };
}

/** What each attempt of the call that begins there was chosen from. */
export function readChoices(page: WordPage, at: number): Considered[] {
  const choices: Considered[] = [];
  let next = unitsAt(page, at) + half(page, at + 13, 1) * UNIT_WORDS;
  for (let left = half(page, at + 14, 0); left > 0; left -= 1) next = readChoice(page, next, choices);
  return choices;
}

function readChoice(page: WordPage, at: number, choices: Considered[]): number {
  const eligible: CandidateState[] = [];
  const leftOut: LeftOut[] = [];
  const moreEligible = half(page, at + 1, 0);
  const moreLeftOut = half(page, at + 1, 1);
  let next = at + CHOICE_WORDS;
  const shares = moreEligible === 0 ? [] : [...page.numbers.slice(next, next + half(page, at, 0))];
  next += shares.length;
  for (let left = half(page, at, 0); left > 0; left -= 1) {
    eligible.push(readCandidate(page, next));
    next = candidateEnd(page, next);
  }
  for (let left = half(page, at, 1); left > 0; left -= 1) {
    const reason = text(page, next, 0) as LeftOut['reason'];
    leftOut.push({ state: readCandidate(page, next + 1), reason });
    next = candidateEnd(page, next + 1);
  }
  choices.push({
    eligible,
    leftOut,
    ...(moreEligible === 0 ? {} : { shares, moreEligible }),
    ...(moreLeftOut === 0 ? {} : { moreLeftOut }),
  });
  return next;
}

function attemptsAt(page: WordPage, at: number): number {
  return at + CALL_WORDS + Math.ceil(half(page, at + 12, 1) / 4);
}

function unitsAt(page: WordPage, at: number): number {
  return attemptsAt(page, at) + half(page, at + 13, 0) * ATTEMPT_WORDS;
}

function double({ numbers }: WordPage, at: number): number {
  return numbers[at] ?? 0;
}

function half({ halves }: WordPage, at: number, which: 0 | 1): number {
  return halves[at * 2 + which] ?? 0;
}

function textOrNull(page: WordPage, at: number, which: 0 | 1): string | null {
  const mark = half(page, at, which);
  return mark === 0 ? null : page.textAt(mark - 1);
}

function text(page: WordPage, at: number, which: 0 | 1): string {
  return page.textAt(half(page, at, which) - 1);
}
