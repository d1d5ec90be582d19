import type { AttemptNote, CallRecord, WorkUnits } from './call-record.js';
import { flag, number, text, textOrNull } from './json-values.js';

/** Whether its first attempt was its only one, and its route of one node: most calls are like that. */
export function isUsual({ routing, attempts, work_units }: CallRecord, attempt: AttemptNote): boolean {
  if (routing === null || attempts.length > 1 || work_units.length > 1) return false;
  return routing.signature === attempt.signature && routing.mode === attempt.mode;
}

/** The line of a usual call, in the parts between what differs from call to call: most of it, and put together once. */
export class UsualLine {
  private readonly model: string;
  private readonly stream: boolean;
  private readonly keyName: string | null;
  private readonly outcome: CallRecord['outcome'];
  private readonly cause: string | null;
  private readonly attempt: AttemptNote;
  private readonly unit: WorkUnits;
  private readonly toShare: string;
  private readonly toAttemptShare: string;
  private readonly toMs: string;
  private readonly toTokens: string;
  private readonly toUnits: string;

  constructor(record: CallRecord, attempt: AttemptNote, unit: WorkUnits) {
    this.model = record.model;
    this.stream = record.stream;
    this.keyName = record.key_name;
    this.outcome = record.outcome;
    this.cause = record.cause;
    this.attempt = attempt;
    this.unit = unit;
    const { mode, outcome, status, failed_node_id, cause } = attempt;
    const signature = text(attempt.signature);
    this.toShare = flat(
      `","model":${text(record.model)},"stream":${flag(record.stream)},"key_name":${textOrNull(record.key_name)}`,
      `,"routing":{"mode":"${mode}","signature":${signature},"probability":`,
    );
    this.toAttemptShare = flat(`},"attempts":[{"signature":${signature},"mode":"${mode}","probability":`);
    this.toMs = flat(`,"outcome":${textOrNull(outcome)},"status":${number(status)},"ms":`);
    this.toTokens = flat(
      `,"failed_node_id":${textOrNull(failed_node_id)},"cause":${textOrNull(cause)}}]`,
      `,"outcome":${textOrNull(record.outcome)},"cause":${textOrNull(record.cause)},"prompt_tokens":`,
    );
    this.toUnits = flat(
      `,"work_units":[{"node_id":${text(unit.node_id)},"start_layer":${number(unit.start_layer)}`,
      `,"end_layer":${number(unit.end_layer)},"work_units":`,
    );
  }

  /** Whether this call's line has the same parts; its route does. */
  isLike(record: CallRecord, attempt: AttemptNote, unit: WorkUnits): boolean {
    return this.isLikeCall(record) && this.isLikeAttempt(attempt) && this.isLikeUnit(unit);
  }

  of(record: CallRecord, attempt: AttemptNote, unit: WorkUnits): string {
    const share = number(attempt.probability);
    return (
      `"request_id":${text(record.request_id)},"started_at":"${record.started_at}${this.toShare}` +
      `${number(record.routing?.probability ?? null)}${this.toAttemptShare}${share}${this.toMs}${number(attempt.ms)}` +
      `${this.toTokens}${number(record.prompt_tokens)},"completion_tokens":${number(record.completion_tokens)}` +
      `,"tokens_estimated":${flag(record.tokens_estimated)},"tps":${number(record.tps)}` +
      `,"queued_ms":${number(record.queued_ms)},"ttft_ms":${number(record.ttft_ms)}` +
      `,"total_ms":${number(record.total_ms)},"sample":${textOrNull(record.sample)}` +
      `${this.toUnits}${number(unit.work_units)}}]`
    );
  }

  private isLikeCall(record: CallRecord): boolean {
    return (
      this.model === record.model &&
      this.stream === record.stream &&
      this.keyName === record.key_name &&
      this.outcome === record.outcome &&
      this.cause === record.cause
    );
  }

  private isLikeAttempt({ signature, mode, outcome, status, failed_node_id, cause }: AttemptNote): boolean {
    const { attempt } = this;
    return (
      attempt.signature === signature &&
      attempt.mode === mode &&
      attempt.outcome === outcome &&
      attempt.status === status &&
      attempt.failed_node_id === failed_node_id &&
      attempt.cause === cause
    );
  }

  private isLikeUnit({ node_id, start_layer, end_layer }: WorkUnits): boolean {
    const { unit } = this;
    return unit.node_id === node_id && unit.start_layer === start_layer && unit.end_layer === end_layer;
  }
}

/** One text instead of a tree of its parts, which would be gone through anew with each line that it is part of. */
function flat(...parts: readonly string[]): string {
  return [...parts, ''].join('');
}
