import type { Hop } from '../api/types.js';

/** The hops that a route's signature names, `model|node_id[start-end]->…`; null where it doesn't read as one. */
export function hopsOf(signature: string, model: string): Hop[] | null {
  const prefix = `${model}|`;
  if (!signature.startsWith(prefix)) return null;
  const hops = signature.slice(prefix.length).split('->').map(hopOf);
  return hops.includes(null) ? null : (hops as Hop[]);
}

function hopOf(text: string): Hop | null {
  const [, node_id, start, end] = /^(.+)\[(\d+)-(\d+)\]$/.exec(text) ?? [];
  if (node_id === undefined) return null;
  return { node_id, start_layer: Number(start), end_layer: Number(end) };
}

/** `alice.gpu` of `alice.gpu:0-21`: the machine; what it serves is said beside it. */
export function machineOf(nodeId: string): string {
  return nodeId.replace(/:(?:\d+-\d+|all)$/, '');
}

/** `0–21`; a single layer has one number. */
export function layersText(start: number, end: number): string {
  return start === end ? String(start) : `${String(start)}–${String(end)}`;
}

/**
 * A route as people read it: `alice.gpu 0–21 → carol.tail 22–39`. One hop alone serves everything, so its layers go
 * without saying. What is no signature stays as it is.
 */
export function routeText(signature: string, model: string): string {
  const hops = hopsOf(signature, model);
  if (hops === null) return signature;
  const [only] = hops;
  if (hops.length === 1 && only !== undefined) return machineOf(only.node_id);
  return hops
    .map(
      ({ node_id, start_layer, end_layer }) => `${machineOf(node_id)} ${layersText(start_layer, end_layer)}`,
    )
    .join(' → ');
}
