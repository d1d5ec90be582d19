import { Fault } from '../parts/notice.js';
import { clockTime } from '../parts/format.js';
import { routing } from '../state/mesh.js';
import { EarningsLine } from './earnings-line.js';
import { FirstRun } from './first-run.js';
import { IncidentCard } from './incident-card.js';
import { LayerMapCard } from './layer-map-card.js';
import { ModelFilter } from './model-filter.js';
import { RoutingCard } from './routing-card.js';

export function OverviewTab() {
  const { value, fault } = routing.polled.value;
  return (
    <>
      <Gone />
      <ModelFilter />
      {value?.models.length === 0 ? <FirstRun /> : (value !== null || fault?.gone !== true) && <Cards />}
    </>
  );
}

function Cards() {
  return (
    <>
      <EarningsLine />
      <IncidentCard />
      <RoutingCard />
      <LayerMapCard />
    </>
  );
}

/** Says it once for all of the tab. */
function Gone() {
  const { at, fault } = routing.polled.value;
  if (fault?.gone !== true) return null;
  return (
    <Fault gone>
      The tracker does not answer{at !== null && ` – shown is what it said at ${clockTime(at)}`}. Trying
      again.
    </Fault>
  );
}
