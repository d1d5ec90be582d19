import type { Candidate } from '../api/types.js';
import { ROUTE_COLUMNS, type ColumnKey, type Direction } from './route-columns.js';

/** How the candidate tables are sorted, all of them alike. */
export interface RouteOrder {
  readonly key: ColumnKey;
  readonly direction: Direction;
}

/** Where the traffic goes, first. */
export const USUAL_ORDER: RouteOrder = { key: 'share', direction: 'descending' };

/** The order after a column's head was pressed: turned round where it was the one, else the column's own first way. */
export function pressed({ key, direction }: RouteOrder, column: ColumnKey): RouteOrder {
  if (key === column) return { key, direction: direction === 'ascending' ? 'descending' : 'ascending' };
  return {
    key: column,
    direction: ROUTE_COLUMNS.find((known) => known.key === column)?.first ?? 'ascending',
  };
}

/** Sorted anew; equals go by signature, so that rows only move when figures do. What isn't known goes last. */
export function ordered(candidates: readonly Candidate[], order: RouteOrder): Candidate[] {
  const column = ROUTE_COLUMNS.find(({ key }) => key === order.key);
  if (column === undefined) return [...candidates];
  const sign = order.direction === 'ascending' ? 1 : -1;
  return [...candidates].sort((a, b) => {
    const [x, y] = [column.by(a), column.by(b)];
    if (x === null || y === null) {
      return x === y ? bySignature(a, b) : x === null ? 1 : -1;
    }
    return sign * compared(x, y) || bySignature(a, b);
  });
}

function bySignature(a: Candidate, b: Candidate): number {
  return compared(a.signature, b.signature);
}

function compared<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function writeOrder({ key, direction }: RouteOrder): string {
  return `${key} ${direction}`;
}

/** What `writeOrder` wrote; the usual order for anything else. */
export function readOrder(text: string | null): RouteOrder {
  const [key, direction] = (text ?? '').split(' ');
  const column = ROUTE_COLUMNS.find((known) => known.key === key);
  if (column === undefined || (direction !== 'ascending' && direction !== 'descending')) return USUAL_ORDER;
  return { key: column.key, direction };
}
