import type { Hop } from '../api/types.js';
import { memo, shallowSame } from '../parts/memo.js';
import { isPlain, layersText, nodeName, spanText } from './hop-names.js';

/** A route, hop by hop; the whole node id is in each hop's title. */
export const Hops = memo(function Hops({ hops }: { hops: readonly Hop[] }) {
  const isAlone = isPlain(hops);
  return (
    <span class="hops">
      {hops.map(({ node_id, start_layer, end_layer }, at) => (
        <span
          class="hop"
          key={at}
          title={isAlone ? node_id : `${node_id}, runs ${layersText(start_layer, end_layer)}`}
        >
          {at > 0 && <span class="soft">→ </span>}
          <span class="hop-name">{nodeName(node_id)}</span>{' '}
          {!isAlone && <span class="soft">{spanText(start_layer, end_layer)} </span>}
        </span>
      ))}
    </span>
  );
}, sameHops);

/** Each answer of the tracker brings new lists that say the same. */
function sameHops(before: { hops: readonly Hop[] }, after: { hops: readonly Hop[] }): boolean {
  return (
    before.hops.length === after.hops.length && before.hops.every((hop, at) => sameHop(hop, after.hops[at]))
  );
}

function sameHop(hop: Hop, other: Hop | undefined): boolean {
  return other !== undefined && shallowSame(hop, other);
}
