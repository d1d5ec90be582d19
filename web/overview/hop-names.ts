import type { Hop } from '../api/types.js';

/** Whose machine it is: the node id without the shard at its end. */
export function nodeName(nodeId: string): string {
  const colon = nodeId.lastIndexOf(':');
  return colon > 0 ? nodeId.slice(0, colon) : nodeId;
}

/** Layers from–to; one alone stands by itself. */
export function spanText(start: number, end: number): string {
  return start === end ? String(start) : `${String(start)}–${String(end)}`;
}

/** "layer 7" or "layers 22–39" */
export function layersText(start: number, end: number): string {
  return `${start === end ? 'layer' : 'layers'} ${spanText(start, end)}`;
}

/** Whether one server answers alone and declares no layers: then none are worth a word. */
export function isPlain(hops: readonly Hop[]): boolean {
  return hops.length === 1 && hops[0]?.node_id.endsWith(':all') === true;
}

/** `alice.gpu 0–21 → carol.tail 22–39`; a server of the whole model has its name alone. */
export function routeText(hops: readonly Hop[]): string {
  if (isPlain(hops)) return nodeName(hops[0]?.node_id ?? '');
  return hops
    .map(({ node_id, start_layer, end_layer }) => `${nodeName(node_id)} ${spanText(start_layer, end_layer)}`)
    .join(' → ');
}
