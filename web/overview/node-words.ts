import type { NodeRow } from '../api/types.js';
import { fixed, tps } from '../parts/format.js';
import { layersText } from './hop-names.js';

/** What is wrong or special with a node, strongest first; null when nothing is. */
export interface NodeTrouble {
  readonly kind: 'open' | 'half-open' | 'resting' | 'draining';
  readonly tone: 'bad' | 'warn' | 'idle';
  /** A mark of its own, so that colour is not all. */
  readonly mark: string;
  readonly text: string;
}

export function troubleOf({ breaker, resting_seconds, status }: NodeRow): NodeTrouble | null {
  if (status === 'draining') return { kind: 'draining', tone: 'idle', mark: '⇣', text: 'draining' };
  if (breaker === 'open') return { kind: 'open', tone: 'bad', mark: '✕', text: 'breaker open' };
  if (breaker === 'half_open') return { kind: 'half-open', tone: 'warn', mark: '◐', text: 'half-open' };
  if (resting_seconds !== null) return { kind: 'resting', tone: 'warn', mark: '◔', text: 'resting' };
  return null;
}

/** What the node says of its own speed. */
export function speedText({ throughput_tps }: NodeRow): string {
  return throughput_tps === null ? 'speed unknown' : `says ${tps(throughput_tps)} tps`;
}

/** `2 of 8`, or `2` where the node sets no limit. */
export function loadText({ in_flight, max_concurrent }: NodeRow): string {
  return max_concurrent === null ? String(in_flight) : `${String(in_flight)} of ${String(max_concurrent)}`;
}

/** Everything about the node, a fact a line. */
export function nodeText(node: NodeRow, start: number, end: number): string {
  const { node_id, queue_depth, breaker, reputation, resting_seconds: rest, status, throughput_tps } = node;
  return [
    node_id,
    layersText(start, end),
    throughput_tps === null ? 'speed unknown' : `says it makes ${tps(throughput_tps)} tps`,
    `${loadText(node)} in flight, queue ${String(queue_depth)}`,
    `breaker ${breaker}, reputation ${fixed(reputation, 2)}`,
    ...(rest === null ? [] : [`asked for no chats, ${String(Math.ceil(rest))} s left`]),
    ...(status === 'draining' ? ['draining: gets no new chats'] : []),
  ].join('\n');
}
