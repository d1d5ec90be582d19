import type { FinishedCall } from '../kernel/index.js';
import { Slices } from './slices.js';

/** The calls of one side of the comparison, as sums: those of several hours add up. */
export class RateSums {
  calls = 0;
  tokens = 0;
  seconds = 0;
  private tokensSquared = 0;
  private secondsSquared = 0;
  private product = 0;

  add(tokens: number, seconds: number): void {
    this.calls += 1;
    this.tokens += tokens;
    this.seconds += seconds;
    this.tokensSquared += tokens * tokens;
    this.secondsSquared += seconds * seconds;
    this.product += tokens * seconds;
  }

  merge(other: RateSums): void {
    this.calls += other.calls;
    this.tokens += other.tokens;
    this.seconds += other.seconds;
    this.tokensSquared += other.tokensSquared;
    this.secondsSquared += other.secondsSquared;
    this.product += other.product;
  }

  /** Seconds a token, of all together. */
  get rate(): number {
    return this.seconds / this.tokens;
  }

  /** How far {@link rate} may be from the truth: the variance of a ratio of two means. */
  get rateVariance(): number {
    const { rate, calls } = this;
    const residuals = this.secondsSquared - 2 * rate * this.product + rate * rate * this.tokensSquared;
    return (Math.max(0, residuals) * calls) / (calls - 1) / (this.tokens * this.tokens);
  }
}

/** What the policy earned in a span of time, against the calls that it sent by least in-flight for comparison. */
export interface Earnings {
  /** Calls that the policy routed. */
  readonly calls: number;
  readonly control_calls: number;
  /** Of the policy's calls together, in s; negative where the control group was faster. null: can't be told. */
  readonly seconds_saved: number | null;
  /** Half of the 95 % interval of it, in s. */
  readonly plus_minus_seconds: number | null;
  readonly scout_calls: number;
  /** What those took beyond the fastest route known when they were sent, in s. */
  readonly scout_seconds: number;
  /** Why `seconds_saved` is null. */
  readonly cannot_tell: string | null;
}

/** One row of `GET /v1/routing/earnings`. */
export interface EarningsRow {
  readonly model: string;
  readonly day: Earnings;
  readonly week: Earnings;
}

export const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
/** Fewer say nothing: times of answers have long tails. */
export const LEAST_CONTROL_CALLS = 30;
const NORMAL_95 = 1.96;
/** Those that were drawn for one side or the other. What a client pinned, or a last resort, was not. */
const ROUTED: ReadonlySet<string> = new Set(['exploit', 'scout']);

class Hour {
  readonly routed = new RateSums();
  readonly control = new RateSums();
  scoutCalls = 0;
  scoutSeconds = 0;

  merge(other: Hour): void {
    this.routed.merge(other.routed);
    this.control.merge(other.control);
    this.scoutCalls += other.scoutCalls;
    this.scoutSeconds += other.scoutSeconds;
  }
}

/**
 * One model's week by the hour. Which side a call is on is drawn before anything is known of it, so the two differ by the
 * policy alone; they are compared by seconds an output token, since the lengths of answers differ more than their speed.
 */
export class ModelEarnings {
  private readonly hours = new Slices(WEEK_HOURS, () => new Hour());

  /** A call counts on the side that its first route was drawn for, with the time of all its attempts. */
  add(hour: number, call: FinishedCall): void {
    const tokens = call.completion_tokens ?? 0;
    const side = sideOf(call);
    if (side === null || tokens <= 0) return;
    let ms = 0;
    for (const attempt of call.attempts) ms += attempt.ms ?? 0;
    this.hours.at(hour)[side].add(tokens, ms / 1000);
  }

  addScout(hour: number, seconds: number): void {
    const sums = this.hours.at(hour);
    sums.scoutCalls += 1;
    sums.scoutSeconds += seconds;
  }

  /** The day and the week that end with this hour. */
  row(hour: number): Omit<EarningsRow, 'model'> {
    return { day: this.earnings(hour, DAY_HOURS), week: this.earnings(hour, WEEK_HOURS) };
  }

  private earnings(last: number, hours: number): Earnings {
    const sum = new Hour();
    for (const { value } of this.hours.between(last - hours + 1, last)) sum.merge(value);
    return earningsOf(sum);
  }
}

function earningsOf({ routed, control, scoutCalls, scoutSeconds }: Hour): Earnings {
  const isKnown = control.calls >= LEAST_CONTROL_CALLS && routed.calls >= LEAST_CONTROL_CALLS;
  const spread = Math.sqrt(routed.rateVariance + control.rateVariance);
  return {
    calls: routed.calls,
    control_calls: control.calls,
    seconds_saved: isKnown ? (control.rate - routed.rate) * routed.tokens : null,
    plus_minus_seconds: isKnown ? NORMAL_95 * spread * routed.tokens : null,
    scout_calls: scoutCalls,
    scout_seconds: scoutSeconds,
    cannot_tell: isKnown ? null : whyNot(routed.calls, control.calls),
  };
}

function whyNot(routedCalls: number, controlCalls: number): string {
  if (controlCalls === 0) return 'No call was routed by least in-flight for comparison.';
  const [few, side] =
    controlCalls < LEAST_CONTROL_CALLS
      ? [controlCalls, 'were routed by least in-flight for comparison']
      : [routedCalls, 'were routed by the policy'];
  return `Only ${String(few)} calls ${side}; ${String(LEAST_CONTROL_CALLS)} are needed.`;
}

function sideOf({ outcome, attempts: [first] }: FinishedCall): 'routed' | 'control' | null {
  if (outcome !== 'completed' || first === undefined) return null;
  if (first.mode === 'control') return 'control';
  return ROUTED.has(first.mode) ? 'routed' : null;
}
