import type { Candidate } from '../api/types.js';

/** A model with more routes than this shows the first of them. */
export const SHOWN_ROUTES = 20;

/**
 * The rows of a long table that stand there unasked: the first in the given order, and the open one.
 *
 * @param open the signature of the open route, if any
 */
export function shownRoutes(inOrder: readonly Candidate[], open: string | undefined): readonly Candidate[] {
  if (inOrder.length <= SHOWN_ROUTES) return inOrder;
  return inOrder.filter(({ signature }, at) => at < SHOWN_ROUTES || signature === open);
}
