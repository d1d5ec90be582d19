import type { RoutingSettings } from '../settings/index.js';
import type { Contention } from './contention.js';
import type { Interval } from './estimates.js';
import type { LeftOutCalls } from './logged-call.js';
import type { Reweighed } from './reweighing.js';

/** What an estimate has to be read with. */
export interface Circumstances {
  readonly reweighed: Reweighed;
  readonly effectiveSize: number;
  readonly contention: Contention;
  readonly calls: number;
  readonly leftOut: LeftOutCalls;
  readonly inForce: RoutingSettings;
  readonly proposed: RoutingSettings;
  readonly robust: Interval;
  readonly byWeights: Interval;
}

const FEW_EFFECTIVE = 100;
const WORTH_SAYING = 0.05;
const HARDLY_ANY = 0.001;

/** In plain words, what could mislead whoever reads the estimates; none where nothing could. */
export function warningsOf(its: Circumstances): string[] {
  return RULES.flatMap((rule) => rule(its) ?? []);
}

const RULES: readonly ((its: Circumstances) => string | null)[] = [
  ({ effectiveSize }) =>
    effectiveSize < FEW_EFFECTIVE
      ? `The estimates rest on as much as ${effectiveSize.toFixed(0)} calls would tell; a longer log tells more.`
      : null,
  ({ robust, byWeights }) =>
    robust.low > byWeights.high || byWeights.low > robust.high
      ? 'The two estimates contradict each other: probabilities or learned speeds were not what they were logged as.'
      : null,
  ({ reweighed: { untriedShare } }) =>
    untriedShare > HARDLY_ANY
      ? `Of the proposed choices ${percent(untriedShare)} were never tried as things stood; learned speeds stand in for them.`
      : null,
  ({ contention: { matters, lostShare } }) =>
    matters
      ? `Calls slow each other down (by ${percent(lostShare)} on average); the estimates take each node’s load as it was.`
      : null,
  ({ leftOut, calls }) =>
    leftOutWarning(leftOut.failed, calls, 'failed', 'What failures cost is not in the means.'),
  ({ leftOut, calls }) =>
    leftOutWarning(
      leftOut.client_left,
      calls,
      'ended because their client left',
      'If clients leave slow answers, slow routes look better than they are.',
    ),
  ({ leftOut, calls }) =>
    leftOutWarning(
      leftOut.not_all_kept,
      calls,
      'were chosen from more candidates than records keep',
      'The others were made on a smaller mesh.',
    ),
  ({ inForce, proposed }) =>
    proposed.exploreShare < inForce.exploreShare
      ? 'With fewer scouts less would be learned in the long run; the replay knows what was learned with those there were.'
      : null,
];

function leftOutWarning(count: number, calls: number, what: string, so: string): string | null {
  const share = count / (count + calls);
  return share > WORTH_SAYING ? `Left out: ${percent(share)} of the calls ${what}. ${so}` : null;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
