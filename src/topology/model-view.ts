import { subtractSpans, type LayerSpan } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';

/** A node and the layers it serves of the model as it is now. */
export interface ServingNode {
  readonly node: MeshNode;
  readonly span: LayerSpan;
}

/** Who serves which layers of one model in one epoch. */
export interface ModelView {
  readonly model: string;
  readonly epoch: number;
  /** Layers 0..numLayers-1; 1 where nobody declared any. */
  readonly numLayers: number;
  readonly nodes: readonly ServingNode[];
}

/** Layers that nobody serves, and who served them last. */
export interface CoverageGap extends LayerSpan {
  readonly lastServedBy: string | null;
}

/** A node that left, for telling who served a gap last. */
export interface Departure {
  readonly nodeId: string;
  /** null: it served the whole model. */
  readonly shard: LayerSpan | null;
}

/** A node without a shard serves the whole model, however many layers that has. */
export function viewOf(
  model: string,
  epoch: number,
  layers: number | null,
  nodes: readonly MeshNode[],
): ModelView {
  const numLayers = layers ?? 1;
  return {
    model,
    epoch,
    numLayers,
    nodes: nodes.map((node) => ({ node, span: node.shard ?? { start: 0, end: numLayers - 1 } })),
  };
}

/** Ascending spans of layers without a node; of each, the last node to leave that served any of them. */
export function gapsOf(view: ModelView, departures: readonly Departure[]): CoverageGap[] {
  const whole = { start: 0, end: view.numLayers - 1 };
  const gaps = subtractSpans(
    whole,
    view.nodes.map(({ span }) => span),
  );
  return gaps.map((gap) => ({ ...gap, lastServedBy: lastServer(gap, departures) }));
}

function lastServer(gap: LayerSpan, departures: readonly Departure[]): string | null {
  const last = departures.findLast(({ shard }) => shard === null || overlap(shard, gap));
  return last?.nodeId ?? null;
}

/** The view less some nodes. */
export function without(view: ModelView, leftOut: (node: MeshNode) => boolean): ModelView {
  return { ...view, nodes: view.nodes.filter(({ node }) => !leftOut(node)) };
}

/**
 * The view less some of its nodes, as long as the layers stay covered. Where they don't, the first of them in the
 * order given that serve what would be missing stay.
 */
export function withoutSpared(view: ModelView, spared: readonly ServingNode[]): ModelView {
  const leftOut = new Set(spared.map(({ node }) => node));
  let kept = without(view, (node) => leftOut.has(node));
  for (const serving of spared) {
    const missing = gapsOf(kept, []);
    if (missing.length === 0) break;
    const isMissed = missing.some((gap) => overlap(gap, serving.span));
    if (isMissed) kept = { ...kept, nodes: [...kept.nodes, serving] };
  }
  return kept;
}

export function overlap(a: LayerSpan, b: LayerSpan): boolean {
  return a.start <= b.end && a.end >= b.start;
}
