import type { MeshNode } from './node.js';

/**
 * Counts the attempts under way. The registry asks this when a listed server leaves a probe unanswered. It is an
 * interface because node-health counts attempts and depends on the registry; an import in this direction would close
 * a circle. node-health hands its counter over when it is constructed, so a chat costs nothing more.
 */
export interface AttemptsUnderWay {
  /** How many attempts are under way at this endpoint, of all models. */
  onEndpoint(endpoint: string): number;
}

/**
 * What a failed probe saw of the server's port. `accepts`: a connection was accepted, and no answer came in time.
 * `unclear`: the connection was neither accepted nor refused in time, as with a full backlog or a machine that is off.
 * `other`: refused, broken, or answered with a fault.
 */
export type PortState = 'accepts' | 'unclear' | 'other';

/** A listed node as the rule sees it; all times are monotonic ms. */
export interface SilentNode {
  /** Last answered probe or byte of a chat at the node's endpoint. */
  readonly heardAt: number;
  /** Last failed probe whose connection was accepted. */
  readonly acceptedAt: number;
  /** How long the node may take for its first byte. */
  readonly firstByteMs: number;
}

/**
 * Whether a listed node that leaves its probes unanswered is at work on an attempt, and so alive. The silence, not the
 * youngest attempt, is held against the first-byte limit: a server that hangs while chats keep coming must leave.
 *
 * Servers with one thread let connections wait in a short backlog, which unanswered probes fill. From then on the port
 * does not refuse, but no longer accepts; the server is at work if its port accepted earlier in the same silence.
 */
export function isAtWork(node: SilentNode, port: PortState, attempts: number, now: number): boolean {
  if (attempts === 0 || now - node.heardAt >= node.firstByteMs) return false;
  return port === 'accepts' || (port === 'unclear' && node.acceptedAt > node.heardAt);
}

/** Until node-health hands its counter over. */
export const NO_ATTEMPTS: AttemptsUnderWay = { onEndpoint: () => 0 };

/** Last sign that any of the nodes at one endpoint gave itself. */
export function lastHeard(nodes: readonly Pick<MeshNode, 'heardAt'>[]): number {
  return nodes.reduce((last, { heardAt }) => Math.max(last, heardAt), -Infinity);
}
