import { useEffect } from 'preact/hooks';
import { Empty, Fault } from '../parts/notice.js';
import { clockTime, counted, UNKNOWN } from '../parts/format.js';
import { streamState } from '../state/events.js';
import { linkTo, place } from '../state/place.js';
import { calls } from './feed.js';
import { isFiltering } from './filters.js';
import { Story } from './story.js';
import { WallControls } from './wall-controls.js';
import { WallTable } from './wall-table.js';
import { filters, heldWall, paused, shownWall } from './wall-view.js';

/** The call wall; a call that one opens stands beside it, or in its place where there is no room for both. */
export function CallsTab() {
  const { detail } = place.value;
  useClosingByEscape(detail);
  return (
    <div class="calls" data-story={detail !== null}>
      <section class="card wall" data-testid="call-wall" aria-labelledby="wall-name">
        <header>
          <h2 id="wall-name">Call wall</h2>
          <Liveness />
          <Count />
          <WallControls />
        </header>
        <Rows selected={detail} />
      </section>
      {detail !== null && <Story key={detail} id={detail} />}
    </div>
  );
}

function Rows({ selected }: { selected: string | null }) {
  const { wall, at, fault } = calls.value;
  const shown = shownWall.value;
  return (
    <>
      {fault !== null && (
        <Fault gone={fault.gone}>
          {fault.gone ? 'The tracker does not answer' : `The tracker refused: ${fault.message}`}
          {at !== null && ` – shown is what it said at ${clockTime(at)}`}. Trying again.
        </Fault>
      )}
      {wall === null ? (
        fault === null && <Empty>Asking the tracker for its calls …</Empty>
      ) : shown.length === 0 ? (
        <NoCalls />
      ) : (
        <WallTable wall={shown} selected={selected} />
      )}
    </>
  );
}

function NoCalls() {
  if (isFiltering(filters.value) && heldWall.value.length > 0) {
    return <Empty>None of {counted(heldWall.value.length, 'call')} is like that.</Empty>;
  }
  return (
    <Empty>
      No calls yet. Chats sent to <code>/v1/chat/completions</code> show up here while they run;{' '}
      <a href={linkTo('chat')}>try one</a>.
    </Empty>
  );
}

/** Whether rows come in by themselves, at once. */
function Liveness() {
  const stream = streamState.value;
  const { at, fault } = calls.value;
  const [state, text] =
    fault !== null
      ? (['gone', 'not live: the tracker does not answer'] as const)
      : stream === 'live'
        ? (['live', 'live'] as const)
        : stream === 'lost'
          ? (['lost', 'not live: no event stream, asking every 4 s'] as const)
          : (['waiting', 'connecting'] as const);
  return (
    <span class="wall-live soft" data-testid="wall-live" data-state={state}>
      <span class="live-mark" aria-hidden="true" />
      {paused.value === null ? text : `${text}; rows are paused`}
      {state !== 'live' && at !== null && ` (as of ${clockTime(at)})`}
    </span>
  );
}

function Count() {
  const all = heldWall.value.length;
  const shown = shownWall.value.length;
  return (
    <span class="soft" data-testid="wall-count">
      {calls.value.wall === null
        ? UNKNOWN
        : isFiltering(filters.value)
          ? `${String(shown)} of ${String(all)}`
          : counted(all, 'call')}
    </span>
  );
}

/** Escape closes the story, and whoever opened it goes on from its row. */
function useClosingByEscape(detail: string | null): void {
  useEffect(() => {
    if (detail === null) return;
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented) location.hash = linkTo('calls');
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      focusRow(detail);
    };
  }, [detail]);
}

function focusRow(requestId: string): void {
  // The table comes back into view with the rendering that is going on.
  requestAnimationFrame(() => {
    if (place.peek().tab !== 'calls' || place.peek().detail !== null) return;
    const row = document.querySelector<HTMLElement>(
      `[data-testid="call-wall"] tr[data-request-id="${CSS.escape(requestId)}"] a`,
    );
    (row ?? document.querySelector<HTMLElement>('.wall-rows'))?.focus();
  });
}
