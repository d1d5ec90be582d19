import type { AttemptNote, CallRecord, RoutingNote, WorkUnits } from './call-record.js';
import { flag, number, text, textOrNull } from './json-values.js';
import { isUsual, UsualLine } from './usual-line.js';

/** Of so many routes what their last line had is remembered. */
const MOST_ROUTES = 256;
const usualLines = new Map<string, UsualLine>();

/**
 * What `JSON.stringify` writes of a finished call's record, without the braces around it: three times as fast, since it
 * knows the fields, and takes what it can from the route's last line. Every call is logged.
 */
export function recordMembers(record: CallRecord): string {
  const [attempt] = record.attempts;
  const [unit] = record.work_units;
  if (attempt === undefined || unit === undefined || !isUsual(record, attempt)) return allMembers(record);
  const known = usualLines.get(attempt.signature);
  if (known?.isLike(record, attempt, unit) === true) return known.of(record, attempt, unit);
  if (usualLines.size >= MOST_ROUTES) usualLines.clear();
  const line = new UsualLine(record, attempt, unit);
  usualLines.set(attempt.signature, line);
  return line.of(record, attempt, unit);
}

function allMembers(record: CallRecord): string {
  return (
    `"request_id":${text(record.request_id)},"started_at":"${record.started_at}","model":${text(record.model)}` +
    `,"stream":${flag(record.stream)},"key_name":${textOrNull(record.key_name)}` +
    `,"routing":${routing(record.routing)},"attempts":[${attempts(record.attempts)}]` +
    `,"outcome":${textOrNull(record.outcome)},"cause":${textOrNull(record.cause)}` +
    `,"prompt_tokens":${number(record.prompt_tokens)},"completion_tokens":${number(record.completion_tokens)}` +
    `,"tokens_estimated":${flag(record.tokens_estimated)},"tps":${number(record.tps)}` +
    `,"queued_ms":${number(record.queued_ms)},"ttft_ms":${number(record.ttft_ms)}` +
    `,"total_ms":${number(record.total_ms)},"sample":${textOrNull(record.sample)}` +
    `,"work_units":[${workUnits(record.work_units)}]`
  );
}

function routing(note: RoutingNote | null): string {
  if (note === null) return 'null';
  return `{"mode":"${note.mode}","signature":${text(note.signature)},"probability":${number(note.probability)}}`;
}

function attempts(notes: readonly AttemptNote[]): string {
  let all = '';
  for (const note of notes) {
    if (all !== '') all += ',';
    all +=
      `{"signature":${text(note.signature)},"mode":"${note.mode}","probability":${number(note.probability)}` +
      `,"outcome":${textOrNull(note.outcome)},"status":${number(note.status)},"ms":${number(note.ms)}` +
      `,"failed_node_id":${textOrNull(note.failed_node_id)},"cause":${textOrNull(note.cause)}}`;
  }
  return all;
}

function workUnits(units: readonly WorkUnits[]): string {
  let all = '';
  for (const { node_id, start_layer, end_layer, work_units } of units) {
    if (all !== '') all += ',';
    all +=
      `{"node_id":${text(node_id)},"start_layer":${number(start_layer)},"end_layer":${number(end_layer)}` +
      `,"work_units":${number(work_units)}}`;
  }
  return all;
}
