import { useEffect, useRef } from 'preact/hooks';
import { routing } from '../state/mesh.js';
import { place } from '../state/place.js';
import { LastCalls } from './last-calls.js';
import { opened } from './overview-state.js';
import { RouteHistory } from './route-history.js';

/** The route that the page was opened with, until it was brought into view: who follows a link wants to see it. */
let arrivedFor = place.peek().detail;

/** What an opened route shows: its last hour and its last calls. */
export function RouteDetail() {
  const room = useRef<HTMLDivElement>(null);
  const open = opened.value;
  useEffect(() => {
    if (arrivedFor === place.peek().detail) room.current?.scrollIntoView({ block: 'center' });
    arrivedFor = null;
  }, []);
  if (open === null) return null;
  return (
    <div class="route-detail" data-testid="route-detail" ref={room}>
      <RouteHistory learnedNow={open.candidate?.tps ?? null} at={routing.polled.value.at} />
      <LastCalls signature={open.signature} />
    </div>
  );
}
