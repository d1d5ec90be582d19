import { spanLength, type LayerSpan } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import { overlap, type CoverageGap } from './model-view.js';

/** A message names no more than this many of a kind: a mesh may have thousands. */
const MOST_NAMED = 3;

/**
 * Why a model has no route, for a message to a person.
 *
 * @param layers as declared; null where all that is known of the model is that its servers have all of it
 * @param draining nodes of the model that are here and take no chats
 */
export function whyNoRoute(
  layers: number | null,
  gaps: readonly CoverageGap[],
  draining: readonly MeshNode[],
): string {
  const [gap] = gaps;
  if (gap === undefined) return 'its nodes changed just now, and its routes are being found anew';
  if (layers === null) return `no server of it takes chats (${whoseGap(gap, draining)})`;
  return `nobody serves ${listed(
    gaps.map((missing) => `${layersOf(missing)} (${whoseGap(missing, draining)})`),
    'gaps',
  )}`;
}

/** Who would fill the gap or, with nobody there to do so, who did last. */
function whoseGap(gap: CoverageGap, draining: readonly MeshNode[]): string {
  const would = draining.filter(({ shard }) => shard === null || overlap(shard, gap));
  if (would.length > 0) {
    const names = would.map(({ nodeId }) => nodeId);
    return `${listed(names)} would, but ${would.length === 1 ? 'is' : 'are'} draining`;
  }
  return gap.lastServedBy === null ? 'served by nobody so far' : `served last by ${gap.lastServedBy}`;
}

function layersOf(gap: LayerSpan): string {
  return spanLength(gap) === 1
    ? `layer ${String(gap.start)}`
    : `layers ${String(gap.start)}-${String(gap.end)}`;
}

/** "a, b and c"; of many the first few. */
function listed(names: readonly string[], kind = ''): string {
  const rest = names.length - MOST_NAMED;
  const more = [String(rest), 'more', kind].join(' ').trimEnd();
  const shown = rest > 0 ? [...names.slice(0, MOST_NAMED), more] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}
