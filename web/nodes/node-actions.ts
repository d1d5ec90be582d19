import { signal } from '@preact/signals';
import { ask, TrackerRefusal } from '../api/client.js';
import type { NodeRow } from '../api/types.js';
import { nodes } from '../state/mesh.js';
import { nodeKey } from './node-order.js';
import { actionRequest, DONE, type NodeAction } from './node-words.js';

/** Keys of nodes that an action is under way for. */
export const busy = signal<ReadonlySet<string>>(new Set());

/** How the newest action came out. */
export const report = signal<{ readonly isFault: boolean; readonly text: string } | null>(null);

/** The node of which somebody wants to know whether to delete it. */
export const toDelete = signal<NodeRow | null>(null);

/** Does it and says how it came out. */
export async function act(action: NodeAction, node: NodeRow): Promise<void> {
  const key = nodeKey(node);
  if (busy.peek().has(key)) return;
  busy.value = new Set([...busy.peek(), key]);
  report.value = null;
  const { method, path } = actionRequest(action, node);
  try {
    await ask(path, { method });
    report.value = { isFault: false, text: `${node.node_id} ${DONE[action]}.` };
  } catch (fault) {
    const text = fault instanceof TrackerRefusal ? fault.message : 'the tracker does not answer.';
    report.value = { isFault: true, text: `${node.node_id} was not changed: ${text}` };
  } finally {
    busy.value = new Set([...busy.peek()].filter((other) => other !== key));
    nodes.again();
  }
}
