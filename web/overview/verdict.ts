import type { LayerGap, ModelRouting, NodeRow } from '../api/types.js';
import { layersText, nodeName, spanText } from './hop-names.js';

/** Whether a model can be answered, and if not, why. */
export interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad';
  /** In two or three words. */
  readonly short: string;
  /** What to know about it; null when all is well. */
  readonly text: string | null;
}

/**
 * @param nodes those of the model
 * @param isWhole each of them serves the whole of it, so that layers explain nothing
 */
export function verdictOf(
  { candidates, gaps }: ModelRouting,
  nodes: readonly NodeRow[],
  isWhole = false,
): Verdict {
  if (candidates.length === 0) {
    return { tone: 'bad', short: 'no route', text: isWhole ? whyNoServer(nodes) : whyNone(gaps, nodes) };
  }
  const short = candidates.length === 1 ? '1 route' : `${String(candidates.length)} routes`;
  const open = new Set(nodes.filter(({ breaker }) => breaker === 'open').map(({ node_id }) => node_id));
  const blocked = candidates.map(({ hops }) => hops.find(({ node_id }) => open.has(node_id))?.node_id);
  if (blocked.includes(undefined)) return { tone: 'good', short, text: null };
  const names = listed([...new Set(blocked)].map((id) => nodeName(id ?? '')));
  return {
    tone: 'warn',
    short: `${short}, none sound`,
    text: `Every route leads over a node that fails: the breaker of ${names} is open. Chats are still tried there.`,
  };
}

const NOT_YET = 'No route just now: the nodes changed, and routes are being found anew.';

function whyNoServer(nodes: readonly NodeRow[]): string {
  if (nodes.length === 0) return 'No server of this model is here.';
  const draining = nodes.filter(({ status }) => status === 'draining');
  if (draining.length < nodes.length) return NOT_YET;
  const names = listed(draining.map(({ node_id }) => nodeName(node_id)));
  return `No server of this model takes chats: ${names} ${draining.length === 1 ? 'is' : 'are'} draining.`;
}

function whyNone(gaps: readonly LayerGap[], nodes: readonly NodeRow[]): string {
  if (nodes.length === 0) return 'No route: no node of this model is here.';
  if (gaps.length === 0) return NOT_YET;
  const missing = listed(gaps.map(({ start_layer, end_layer }) => layersText(start_layer, end_layer)));
  const draining = nodes.filter((node) => node.status === 'draining' && gaps.some((gap) => fills(node, gap)));
  const why = `No route: nobody serves ${missing}.`;
  if (draining.length === 0) return why;
  const names = listed(draining.map(describe));
  return `${why} ${names} would, but ${draining.length === 1 ? 'is' : 'are'} draining.`;
}

function fills({ shard_start, shard_end }: NodeRow, { start_layer, end_layer }: LayerGap): boolean {
  return (shard_start ?? 0) <= end_layer && (shard_end ?? Infinity) >= start_layer;
}

function describe({ node_id, shard_start, shard_end }: NodeRow): string {
  const name = nodeName(node_id);
  return shard_start === null || shard_end === null ? name : `${name} (${spanText(shard_start, shard_end)})`;
}

const NAMED = 4;

/** "a, b and c"; of many the first few. */
function listed(names: readonly string[]): string {
  const shown = names.length > NAMED ? names.slice(0, NAMED - 1) : names;
  const rest = names.length - shown.length;
  const all = rest > 0 ? [...shown, `${String(rest)} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''}`;
}
