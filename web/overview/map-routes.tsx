import type { ModelRouting } from '../api/types.js';
import { tps } from '../parts/format.js';
import { Hops } from './hops.js';
import { isSame, lit, pin, pinned, pointAt, pointAway, routeOrder } from './overview-state.js';
import { ordered } from './route-order.js';

/** The model's routes beside its map: pointing at one lights its hops, pressing it keeps them lit. */
export function MapRoutes({ routing: { model, candidates } }: { routing: ModelRouting }) {
  if (candidates.length === 0) return null;
  return (
    <ul class="map-routes" aria-label={`Routes of ${model}`}>
      {ordered(candidates, routeOrder.value).map(({ signature, hops, tps: learned }) => {
        const name = { model, signature };
        const point = () => pointAt(name);
        return (
          <li key={signature}>
            <button
              type="button"
              aria-pressed={isSame(pinned.value, name)}
              data-lit={isSame(lit.value, name) ? '' : undefined}
              onPointerEnter={point}
              onPointerLeave={pointAway}
              onFocus={point}
              onBlur={pointAway}
              onClick={() => pin(name)}
            >
              <Hops hops={hops} />
              <span class="number">{learned === null ? 'not measured' : `${tps(learned)} tps`}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
