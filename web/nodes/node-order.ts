import type { NodeRow } from '../api/types.js';
import { stateWord } from './node-words.js';

/** What the table can be sorted by. */
export const COLUMNS = [
  'node',
  'model',
  'shard',
  'status',
  'breaker',
  'reputation',
  'speed',
  'factor',
  'queue',
  'in_flight',
  'last_seen',
  'source',
] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
  readonly by: Column;
  readonly isDescending: boolean;
}

/** The tracker's own order: who registered first. */
export const AS_REGISTERED: Order | null = null;

const BREAKER_RANK: Readonly<Record<NodeRow['breaker'], number>> = { open: 0, half_open: 1, closed: 2 };

/** What a column is sorted by; null is unknown and stays last, whichever way. */
const VALUE: Readonly<Record<Column, (node: NodeRow) => string | number | null>> = {
  node: ({ node_id }) => node_id,
  model: ({ model }) => model,
  shard: ({ shard_start, shard_end }) => (shard_start === null ? -1 : shard_start + (shard_end ?? 0) / 1e6),
  status: (node) => stateWord(node).word,
  breaker: ({ breaker }) => BREAKER_RANK[breaker],
  reputation: ({ reputation }) => reputation,
  speed: ({ throughput_tps }) => throughput_tps,
  factor: ({ speed_factor }) => speed_factor,
  queue: ({ queue_depth }) => queue_depth,
  in_flight: ({ in_flight }) => in_flight,
  last_seen: ({ last_seen_seconds_ago }) => last_seen_seconds_ago,
  source: ({ source }) => source,
};

/** A click sorts, a second one turns it round, a third gives the tracker's own order back. */
export function nextOrder(order: Order | null, by: Column): Order | null {
  if (order?.by !== by) return { by, isDescending: false };
  return order.isDescending ? AS_REGISTERED : { by, isDescending: true };
}

/** Ties keep the tracker's order, so that rows don't jump from poll to poll. */
export function inOrder(nodes: readonly NodeRow[], order: Order | null): readonly NodeRow[] {
  if (order === null) return nodes;
  const value = VALUE[order.by];
  const turn = order.isDescending ? -1 : 1;
  return [...nodes].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === right) return 0;
    if (left === null) return 1;
    if (right === null) return -1;
    return (left < right ? -1 : 1) * turn;
  });
}

/** Nodes that have the text in their id, model, endpoint or status. */
export function matching(nodes: readonly NodeRow[], text: string): readonly NodeRow[] {
  const part = text.trim().toLowerCase();
  if (part === '') return nodes;
  return nodes.filter((node) =>
    [
      node.node_id,
      node.model,
      node.endpoint,
      stateWord(node).word,
      `breaker ${node.breaker.replace('_', '-')}`,
    ]
      .join('\n')
      .toLowerCase()
      .includes(part),
  );
}

/** Node ids are unique within a model only. */
export function nodeKey({ node_id, model }: Pick<NodeRow, 'node_id' | 'model'>): string {
  return `${node_id}\n${model}`;
}
