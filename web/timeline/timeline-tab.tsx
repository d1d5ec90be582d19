import { Empty, Shown } from '../parts/notice.js';
import { timeline } from '../state/mesh.js';
import { ZOOMS } from './axis.js';
import { LANES, modelsIn, type FactFilters } from './facts.js';
import { TimeAxis } from './time-axis.js';
import { TimelineList } from './timeline-list.js';
import { facts, filters, shown, zoom } from './timeline-view.js';

/** How the mesh changed: nodes that came and went, breakers, reads of the nodes file. */
export function TimelineTab() {
  const polled = timeline.polled.value;
  return (
    <section class="card timeline" data-testid="timeline" aria-labelledby="timeline-name">
      <header>
        <h2 id="timeline-name">Timeline</h2>
        <span class="soft">
          {facts.value.length >= 1000 ? 'the newest 1,000 changes' : `${String(facts.value.length)} changes`}
        </span>
        <Controls />
      </header>
      <Shown polled={polled}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              Nothing has happened since the tracker was started: no node came or went, no breaker opened, and
              no nodes file was read again.
            </Empty>
          ) : (
            <>
              <TimeAxis facts={shown.value} now={polled.at ?? Date.now()} />
              <TimelineList now={polled.at ?? Date.now()} />
            </>
          )
        }
      </Shown>
    </section>
  );
}

function change(part: Partial<FactFilters>): void {
  filters.value = { ...filters.value, ...part };
}

function Controls() {
  const { lane, model } = filters.value;
  const models = modelsIn(facts.value);
  return (
    <form class="controls" aria-label="Timeline" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="zooms">
        <legend class="sr-only">How far back the axis goes</legend>
        {ZOOMS.map((name) => (
          <label key={name} data-chosen={zoom.value === name}>
            <input
              type="radio"
              class="sr-only"
              name="zoom"
              checked={zoom.value === name}
              onChange={() => (zoom.value = name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <select
        aria-label="Kind"
        value={lane}
        data-chosen={lane !== ''}
        onChange={({ currentTarget: { value } }) =>
          change({ lane: LANES.find((known) => known === value) ?? '' })
        }
      >
        <option value="">Kind: all</option>
        {LANES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Model"
        value={model}
        data-chosen={model !== ''}
        onChange={({ currentTarget }) => change({ model: currentTarget.value })}
      >
        <option value="">Model: all</option>
        {[...new Set([...models, ...(model === '' ? [] : [model])])].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </form>
  );
}
