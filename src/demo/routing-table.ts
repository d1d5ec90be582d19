/** What the table shows of `GET /v1/routing`. */
export interface RoutingTable {
  readonly models: readonly ModelRoutes[];
}

export interface ModelRoutes {
  readonly model: string;
  readonly epoch: number;
  readonly gaps: readonly { readonly start_layer: number; readonly end_layer: number }[];
  readonly candidates: readonly CandidateRow[];
}

export interface CandidateRow {
  readonly hops: readonly {
    readonly node_id: string;
    readonly start_layer: number;
    readonly end_layer: number;
  }[];
  readonly status: string;
  readonly tps: number | null;
  readonly coefficient: number | null;
  readonly traffic_share: number | null;
  readonly sample_count: number;
  readonly weight: number;
  readonly in_flight: number;
}

const COLUMNS = ['model', 'route', 'status', 'tps', 'coefficient', 'share', 'samples', 'weight', 'in flight'];
/** Columns from here on hold numbers and stand to the right. */
const FIRST_NUMBER = 3;

/** The candidates of all models, one line each under a line of names, in columns. */
export function renderRoutes({ models }: RoutingTable): string[] {
  const rows = [COLUMNS, ...models.flatMap(rowsOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i < FIRST_NUMBER ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

function rowsOf({ model, gaps, candidates }: ModelRoutes): string[][] {
  if (candidates.length > 0) return candidates.map((candidate) => [model, ...cellsOf(candidate)]);
  const missing = gaps.map((gap) => `${String(gap.start_layer)}-${String(gap.end_layer)}`).join(', ');
  return [[model, `no route; layers missing: ${missing}`]];
}

function cellsOf(candidate: CandidateRow): string[] {
  const { tps, coefficient, traffic_share: share, sample_count: samples, weight } = candidate;
  return [
    candidate.hops.map(hopText).join(' -> '),
    candidate.status,
    rounded(tps, 1),
    rounded(coefficient, 2),
    share === null ? '-' : `${rounded(100 * share, 0)} %`,
    String(samples),
    rounded(weight, 1),
    String(candidate.in_flight),
  ];
}

/** `alice.gpu:0-21` running 0 to 21 is `alice.gpu 0-21`: the span it runs, not the one it holds. */
function hopText(hop: CandidateRow['hops'][number]): string {
  return `${hop.node_id.replace(/:[^:]*$/, '')} ${String(hop.start_layer)}-${String(hop.end_layer)}`;
}

function rounded(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}
