import type { Contention } from './contention.js';
import type { Reweighed } from './reweighing.js';

/** Why a log can't tell what another setting would have earned. */
export type Doubt =
  | 'candidates_not_kept'
  | 'policy_needs_more'
  | 'no_randomness'
  | 'never_tried'
  | 'load_moves'
  | 'too_little_evidence';

/** What a log holds of the proposed setting. */
export interface Evidence {
  /** null: the policy gave no shares. */
  readonly reweighed: Reweighed | null;
  readonly effectiveSize: number;
  readonly contention: Contention;
}

/** Where estimates would have to stand in for more of the proposed choices than this, they are all there is. */
const MOST_UNTRIED_SHARE = 0.05;
const MOSTLY = 0.5;
/** Moving fewer calls than this moves no node's load by much. */
const MOST_MOVED_SHARE = 0.1;
/** Below, the normal distribution is no guide to how far off a mean is. */
const LEAST_EFFECTIVE_SIZE = 30;

export const DOUBTS: Readonly<Record<Doubt, string>> = {
  candidates_not_kept:
    'Most calls were chosen from more candidates than records keep: what another setting would have chosen is not known.',
  policy_needs_more: 'What the proposed policy looks at was not logged under the policy in force.',
  no_randomness:
    'Most calls had one route to go to under the setting in force, and the proposed one would have chosen others: nothing shows how those would have done.',
  never_tried:
    'The proposed setting would send calls to routes that the setting in force never chose as things stood.',
  load_moves:
    'Calls slow each other down on shared nodes, and the proposed setting would send them elsewhere: speeds would not have stayed what they were.',
  too_little_evidence:
    'The proposed setting would so often have chosen otherwise that too few of the logged calls say anything of it.',
};

/** The first reason why the log can't tell, the weightiest first; null where it can. */
export function doubtOf({ reweighed, effectiveSize, contention }: Evidence): Doubt | null {
  if (reweighed === null) return 'policy_needs_more';
  const { untriedShare, certainShare, movedShare } = reweighed;
  if (untriedShare > MOST_UNTRIED_SHARE) return certainShare > MOSTLY ? 'no_randomness' : 'never_tried';
  if (contention.matters && movedShare > MOST_MOVED_SHARE) return 'load_moves';
  return effectiveSize < LEAST_EFFECTIVE_SIZE ? 'too_little_evidence' : null;
}
