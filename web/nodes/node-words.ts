import type { NodeRow } from '../api/types.js';
import { UNKNOWN } from '../parts/format.js';
import { layersText } from '../parts/signature.js';

export const SOURCES: Readonly<Record<string, string>> = {
  registered: 'registered',
  nodes_file: 'nodes file',
  flag: '--node',
};

export function shardText({ shard_start: start, shard_end: end }: NodeRow): string {
  return start === null || end === null ? 'all' : layersText(start, end);
}

/** Whether chats go there, in a word. An open breaker, or a rest that it asked for, keeps them away from a node that calls itself ready. */
export function stateWord(node: Pick<NodeRow, 'status' | 'breaker' | 'probe' | 'resting_seconds'>) {
  const { status, breaker, probe, resting_seconds: rest } = node;
  if (status === 'draining') return { mark: '◑', tone: 'warn', word: 'draining' };
  if (breaker === 'open') return { mark: '✕', tone: 'bad', word: 'breaker open' };
  if (breaker === 'half_open') return { mark: '◐', tone: 'warn', word: 'half-open' };
  if (rest !== null) return { mark: '◔', tone: 'warn', word: `resting ${agoText(Math.max(2, rest))}` };
  if (probe === 'failed') return { mark: '◐', tone: 'warn', word: 'last probe failed' };
  return { mark: '●', tone: 'good', word: 'ready' };
}

export function inFlightText({ in_flight: now, max_concurrent: most }: NodeRow): string {
  return most === null ? String(now) : `${String(now)} / ${String(most)}`;
}

/** How fast it is learned to be, of its registered speed; and how far from it that may be, by the same factor either way. */
export function factorText({ speed_factor, speed_sigma }: NodeRow): string {
  if (speed_factor === null || speed_sigma === null) return UNKNOWN;
  return `${speed_factor.toFixed(2)} ×÷ ${Math.exp(speed_sigma).toFixed(2)}`;
}

/** Seconds as one reads them at a glance. */
export function agoText(seconds: number): string {
  if (seconds < 1.5) return 'now';
  if (seconds < 99.5) return `${seconds.toFixed(0)} s`;
  const minutes = seconds / 60;
  return minutes < 99.5 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(0)} h`;
}

/** What deleting comes to; of a node that lives on it is not the end. */
export function deletingSentence({ source }: Pick<NodeRow, 'source'>): string {
  switch (source) {
    case 'nodes_file':
      return 'It stays away until the nodes file is read again, by a change of it or SIGHUP, or the tracker is started anew.';
    case 'flag':
      return 'It stays away until the tracker gets SIGHUP or is started anew; a nodes file that is read again brings it back, too.';
    default:
      return 'It comes back when it registers again, as a node that still runs will: to keep it out, drain it instead.';
  }
}

/** What was done, once it was. */
export const DONE: Readonly<Record<NodeAction, string>> = {
  drain: 'gets no new chats',
  resume: 'gets chats again',
  delete: 'was deleted',
};

export type NodeAction = 'drain' | 'resume' | 'delete';

/** Method and path of an operator's action. Ids have colons, models have slashes. */
export function actionRequest(action: NodeAction, node: Pick<NodeRow, 'node_id' | 'model'>) {
  const id = encodeURIComponent(node.node_id);
  const model = encodeURIComponent(node.model);
  return action === 'delete'
    ? { method: 'DELETE', path: `/v1/nodes/${id}?model=${model}` }
    : { method: 'POST', path: `/v1/nodes/${id}/${action}?model=${model}` };
}
