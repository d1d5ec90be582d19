import type { Hop } from '../api/types.js';
import { nodeName, spanText } from './hop-names.js';

/** A route, hop by hop; the whole node id is in each hop's title. */
export function Hops({ hops }: { hops: readonly Hop[] }) {
  return (
    <span class="hops">
      {hops.map(({ node_id, start_layer, end_layer }, at) => (
        <span class="hop" key={at} title={`${node_id}, runs ${spanText(start_layer, end_layer)}`}>
          {at > 0 && <span class="soft">→ </span>}
          <span class="hop-name">{nodeName(node_id)}</span>{' '}
          <span class="soft">{spanText(start_layer, end_layer)}</span>{' '}
        </span>
      ))}
    </span>
  );
}
