import type { Candidate, RouteStatus } from '../api/types.js';
import { duration, fixed, percent, tps, UNKNOWN } from '../parts/format.js';
import { ago } from './ago.js';
import { routeText } from './hop-names.js';

export type ColumnKey =
  | 'route'
  | 'tps'
  | 'coefficient'
  | 'share'
  | 'samples'
  | 'weight'
  | 'status'
  | 'prior'
  | 'in_flight'
  | 'last_sample'
  | 'recent'
  | 'predicted';

export type Direction = 'ascending' | 'descending';

export interface RouteColumn {
  readonly key: ColumnKey;
  readonly title: string;
  readonly meaning: string;
  readonly isNumber: boolean;
  /** Which way one wants to see it first. */
  readonly first: Direction;
  /** What it is sorted by; null goes last whichever way. */
  readonly by: (candidate: Candidate) => number | string | null;
  readonly text: (candidate: Candidate) => string;
}

const STATUS_RANK: Record<RouteStatus, number> = { proven: 0, decayed: 1, stale: 2, unsampled: 3 };

function number(
  key: ColumnKey,
  title: string,
  meaning: string,
  by: (candidate: Candidate) => number | null,
  write: (value: number | null) => string,
  first: Direction = 'descending',
): RouteColumn {
  return { key, title, meaning, isNumber: true, first, by, text: (candidate) => write(by(candidate)) };
}

function count(value: number | null): string {
  return value === null ? UNKNOWN : String(value);
}

/** Columns of every candidate table. */
const LEARNED_COLUMNS: readonly RouteColumn[] = [
  {
    key: 'route',
    title: 'Route',
    meaning: 'The hops a chat takes, each with the layers it runs.',
    isNumber: false,
    first: 'ascending',
    by: ({ hops }) => routeText(hops),
    text: ({ hops }) => routeText(hops),
  },
  number(
    'tps',
    'Learned tps',
    'Tokens per second as measured on real chats; newer samples count more.',
    (candidate) => candidate.tps,
    tps,
  ),
  number(
    'coefficient',
    'Coeff.',
    'Speed over that of the fastest proven route.',
    ({ coefficient }) => coefficient,
    (value) => fixed(value, 2),
  ),
  number(
    'share',
    'Traffic share',
    'How likely the next chat is to go here.',
    ({ traffic_share }) => traffic_share,
    (value) => percent(value, 1),
  ),
  number(
    'samples',
    'Samples',
    'Chats ever measured on this route.',
    ({ sample_count }) => sample_count,
    count,
  ),
  number(
    'weight',
    'Weight',
    'What the samples count for by now: each starts at 1 and halves with every half-life.',
    ({ weight }) => weight,
    (value) => fixed(value, 2),
  ),
  {
    key: 'status',
    title: 'Status',
    meaning: 'Whether the learned speed is to be trusted.',
    isNumber: false,
    first: 'ascending',
    by: ({ status }) => STATUS_RANK[status],
    text: ({ status }) => status,
  },
  number(
    'prior',
    'Prior tps',
    'The guess before any measurement, from what its nodes say of themselves and their queues.',
    ({ prior_tps }) => prior_tps,
    tps,
  ),
  number(
    'in_flight',
    'In flight',
    'Chats on this route this moment.',
    (candidate) => candidate.in_flight,
    count,
  ),
  number(
    'last_sample',
    'Last sample',
    'How long ago it was measured last.',
    ({ last_sample_seconds_ago }) => last_sample_seconds_ago,
    ago,
    'ascending',
  ),
];

/** Under a policy that predicts. */
const PREDICTED_COLUMNS: readonly RouteColumn[] = [
  number(
    'recent',
    'Recently',
    'The part of the latest chats that went here.',
    ({ recent_share = null }) => recent_share,
    (value) => percent(value, 1),
  ),
  number(
    'predicted',
    '200 tok.',
    'How long an answer of 200 tokens is expected to take here, now.',
    ({ predicted_seconds_200 = null }) => predicted_seconds_200,
    (value) => duration(value === null ? null : value * 1000),
    'ascending',
  ),
];

/** All columns there are, in the order shown. */
export const ROUTE_COLUMNS: readonly RouteColumn[] = [...LEARNED_COLUMNS, ...PREDICTED_COLUMNS];

/** The columns of a table of these candidates. */
export function columnsOf(candidates: readonly Candidate[]): readonly RouteColumn[] {
  const isPredicted = candidates.some(({ predicted_seconds_200 }) => predicted_seconds_200 !== undefined);
  return isPredicted ? ROUTE_COLUMNS : LEARNED_COLUMNS;
}
