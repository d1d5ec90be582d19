/** A failure, and the node whose doing it was; null where no node was asked, or none in particular. */
export interface Failure {
  readonly nodeId: string | null;
  /** Code of the fault. */
  readonly cause: string;
}

/** One of `failures` in `GET /v1/incidents`. */
export interface FailureRow {
  readonly node_id: string | null;
  readonly cause: string;
  readonly count: number;
}

/** Node ids are the nodes' own words. */
const MOST_PAIRS = 256;

/** How often which node failed for what cause. Beyond 256 pairs, failures count for no node in particular. */
export class FailureCounts {
  private readonly byCause = new Map<string, Map<string | null, number>>();
  private pairs = 0;

  add({ nodeId, cause }: Failure, count = 1): void {
    const nodes = this.byCause.get(cause) ?? new Map<string | null, number>();
    this.byCause.set(cause, nodes);
    const isRoom = nodes.has(nodeId) || this.pairs < MOST_PAIRS;
    const counted = isRoom ? nodeId : null;
    if (!nodes.has(counted)) this.pairs += 1;
    nodes.set(counted, (nodes.get(counted) ?? 0) + count);
  }

  merge(other: FailureCounts): void {
    for (const { node_id, cause, count } of other.rows()) this.add({ nodeId: node_id, cause }, count);
  }

  /** The most frequent first, at most so many; ties by cause, then node. */
  mostFrequent(limit: number): FailureRow[] {
    return this.rows().sort(byCount).slice(0, limit);
  }

  private rows(): FailureRow[] {
    return [...this.byCause].flatMap(([cause, nodes]) =>
      [...nodes].map(([node_id, count]) => ({ node_id, cause, count })),
    );
  }
}

function byCount(a: FailureRow, b: FailureRow): number {
  return b.count - a.count || compareText(a.cause, b.cause) || compareText(a.node_id ?? '', b.node_id ?? '');
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
