import { routing } from '../state/mesh.js';
import { LastCalls } from './last-calls.js';
import { opened } from './overview-state.js';
import { RouteHistory } from './route-history.js';

/** What an opened route shows: its last hour and its last calls. */
export function RouteDetail() {
  const open = opened.value;
  if (open === null) return null;
  return (
    <div class="route-detail" data-testid="route-detail">
      <RouteHistory learnedNow={open.candidate?.tps ?? null} at={routing.polled.value.at} />
      <LastCalls signature={open.signature} />
    </div>
  );
}
