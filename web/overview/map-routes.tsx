import { useComputed } from '@preact/signals';
import type { Candidate, ModelRouting } from '../api/types.js';
import { tps } from '../parts/format.js';
import { Hops } from './hops.js';
import { isSame, lit, pin, pinned, pointAt, pointAway, routeOrder } from './overview-state.js';
import { ordered } from './route-order.js';

/** The model's routes beside its map: pointing at one lights its hops, pressing it keeps them lit. */
export function MapRoutes({ routing: { model, candidates } }: { routing: ModelRouting }) {
  if (candidates.length === 0) return null;
  return (
    <ul class="map-routes" aria-label={`Routes of ${model}`}>
      {ordered(candidates, routeOrder.value).map((candidate) => (
        <MapRoute key={candidate.signature} model={model} candidate={candidate} />
      ))}
    </ul>
  );
}

function MapRoute({ model, candidate }: { model: string; candidate: Candidate }) {
  const { signature, hops, tps: learned } = candidate;
  const name = { model, signature };
  const isLit = useComputed(() => isSame(lit.value, name)).value;
  const isPinned = useComputed(() => isSame(pinned.value, name)).value;
  const point = () => pointAt(name);
  return (
    <li>
      <button
        type="button"
        aria-pressed={isPinned}
        data-lit={isLit ? '' : undefined}
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
}
