import type { MeshNode } from '../registry/index.js';

/**
 * What a call's attempt says of its nodes. Neutral is what no node is responsible for: the client left, or the node was
 * busy. With `nothing` the node gave no completion and no failure is counted: it refused, or its answer was empty.
 */
export type Outcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'neutral' }
  | { readonly kind: 'nothing'; readonly by: MeshNode }
  /** `isCut`: the client had seen part of the answer. */
  | { readonly kind: 'failure'; readonly blame: MeshNode; readonly isCut?: boolean };

/** A failure that is not counted yet: it may turn out to be the request's. */
export interface Charge {
  readonly node: MeshNode;
  /** Of the node when the attempt began. */
  readonly incarnation: number;
}

/** One attempt under way on a route. */
export interface Ticket {
  /** Counts the attempt out and credits the outcome; only the first call does anything. */
  settle(outcome: Outcome): void;
  /** Returns what a failure of one of the route's nodes would be charged to, as it was when the attempt began. */
  chargeOf(node: MeshNode): Charge;
}

/** The part of a route that in-flight counting needs. */
export interface TicketedRoute {
  readonly signature: string;
  readonly hops: readonly { readonly node: MeshNode }[];
}
