import type { MeshNode } from '../registry/index.js';

/**
 * What a call's attempt says of its nodes. Neutral is whatever was not the nodes' doing: the client left or
 * sent what the head refused.
 */
export type Outcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'neutral' }
  | { readonly kind: 'failure'; readonly blame: MeshNode };

/** One attempt under way on a route. */
export interface Ticket {
  /** Counts the attempt out and credits the outcome; only the first call does anything. */
  settle(outcome: Outcome): void;
}

/** The part of a route that in-flight counting needs. */
export interface TicketedRoute {
  readonly signature: string;
  readonly hops: readonly { readonly node: MeshNode }[];
}
