import type { NodeRow } from '../api/types.js';

/** A node's shard on the axis of layers, both ends included. */
export interface Bar {
  readonly node: NodeRow;
  readonly start: number;
  readonly end: number;
  readonly lane: number;
}

/**
 * Heads first, then by start and name; each goes to the first lane that is free from its start on, so that a route
 * reads along one line wherever its nodes meet. A node without a shard has all layers.
 */
export function packed(nodes: readonly NodeRow[], numLayers: number): Bar[] {
  const spans = nodes.map((node) => ({
    node,
    start: node.shard_start ?? 0,
    end: node.shard_end ?? numLayers - 1,
  }));
  spans.sort((a, b) => a.start - b.start || byName(a.node, b.node));
  const ends: number[] = [];
  return spans.map((span) => {
    const free = ends.findIndex((end) => end < span.start);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.end;
    return { ...span, lane };
  });
}

function byName(a: NodeRow, b: NodeRow): number {
  return a.node_id < b.node_id ? -1 : a.node_id > b.node_id ? 1 : 0;
}

export function lanesOf(bars: readonly Bar[]): number {
  return bars.reduce((most, { lane }) => Math.max(most, lane + 1), 0);
}

/** Where layers stand on the axis, in per cent of its width. */
export interface Extent {
  readonly left: string;
  readonly width: string;
}

export function extentOf(start: number, end: number, numLayers: number, first = 0): Extent {
  const perCent = (layers: number) => `${String(Number(((layers / numLayers) * 100).toFixed(4)))}%`;
  return { left: perCent(start - first), width: perCent(end - start + 1) };
}

const STEPS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100];
const TICKS = 9;

/** The layers that are named on the axis: evenly spaced from 0, and the last one. */
export function ticksOf(numLayers: number): number[] {
  const step = STEPS.find((each) => numLayers / each <= TICKS) ?? Math.ceil(numLayers / TICKS);
  const last = numLayers - 1;
  const ticks = Array.from({ length: Math.ceil(numLayers / step) }, (_, at) => at * step);
  // The last layer's name needs room of its own.
  return [...ticks.filter((tick) => last - tick >= step / 2), last];
}

/** How wide the axis has to be, in rem, for the shortest shard to have room for a name; within reason. */
export function leastWidthRem(bars: readonly Bar[], numLayers: number): number {
  const shortest = bars.reduce((least, { start, end }) => Math.min(least, end - start + 1), numLayers);
  return Math.min(MOST_REM, Math.round((NAME_REM * numLayers) / shortest));
}

const NAME_REM = 6.5;
const MOST_REM = 64;
