/** Who is on a node. */
export interface Company {
  /** Calls given to it and not over, one's own apart. */
  readonly others: number;
  /** Of them, streams, and those of the streams that have had a token: these surely run. */
  readonly streams: number;
  readonly running: number;
}

/** Counts of one node, its calls all together. */
export interface Headcount {
  calls: number;
  streams: number;
  running: number;
}

/** As a call that is not there yet finds it. */
export function companyOf({ calls, streams, running }: Headcount): Company {
  return { others: calls, streams, running };
}

/** As one that is there finds it. */
export function companyWithin({ calls, streams, running }: Headcount): Company {
  return { others: Math.max(0, calls - 1), streams, running };
}
