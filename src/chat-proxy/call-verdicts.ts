import type { MeshNode } from '../registry/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import type { HeldCharge } from './request-faults.service.js';

/** Statuses that say something of a node, of its way or of its load, whatever the message. */
const NEVER_THE_REQUESTS: ReadonlySet<number> = new Set([401, 402, 403, 408, 429, 502, 503, 504]);

const PATH = /[\\/][^\s"'`,;:()]+/g;
/** Characters of a message. */
const MOST_COMPARED = 4096;

/** What one node answered to a call. */
interface NodeVerdict {
  readonly status: number;
  readonly message: string;
  readonly node: MeshNode;
  readonly charge: HeldCharge | null;
}

/** Whether an attempt failed in a way that may be the request's fault: by an answer with a message of the node's own. */
export function mayBeRequests({ outcome, answer, message, isCommitted }: AttemptEnd): boolean {
  if (isCommitted) return false;
  if (outcome !== 'failed' && outcome !== 'refused') return false;
  return answer !== null && !NEVER_THE_REQUESTS.has(answer.status) && (message ?? '').trim() !== '';
}

/** What the nodes that one call tried had to say of it, until two of them say the same. */
export class CallVerdicts {
  private readonly verdicts: NodeVerdict[] = [];

  /**
   * Takes what an attempt came to.
   *
   * @param charge the failure that it is to count, held back
   * @returns the charges to take back if two nodes of different owners have now answered alike; else null
   */
  add(end: AttemptEnd, node: MeshNode, charge: HeldCharge | null): readonly HeldCharge[] | null {
    if (!mayBeRequests(end) || end.answer === null) {
      this.countAll();
      charge?.count();
      return null;
    }
    const verdict = { status: end.answer.status, message: withoutPaths(end.message ?? ''), node, charge };
    const isTwice = this.verdicts.some((earlier) => isAlike(earlier, verdict));
    if (!isTwice) this.countAll();
    this.verdicts.push(verdict);
    return isTwice ? this.verdicts.flatMap((one) => one.charge ?? []) : null;
  }

  /** The call is over, or went on to another fault: what was held back counts. */
  countAll(): void {
    for (const { charge } of this.verdicts) charge?.count();
  }
}

/** Some engines name the file that a fault comes from, which is elsewhere on another machine. */
function withoutPaths(message: string): string {
  return message.slice(0, MOST_COMPARED).replace(PATH, '/').trim();
}

function isAlike(a: NodeVerdict, b: NodeVerdict): boolean {
  return a.status === b.status && a.message === b.message && areOfTwoOwners(a.node, b.node);
}

/** An operator's own servers are trusted one by one; of nodes that registered themselves one wallet is one voice. */
export function areOfTwoOwners(a: MeshNode, b: MeshNode): boolean {
  if (hostOf(a) === hostOf(b)) return false;
  return a.wallet !== b.wallet || (a.source !== 'registered' && b.source !== 'registered');
}

function hostOf({ endpoint }: MeshNode): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : endpoint;
}
