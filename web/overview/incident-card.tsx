import type { Incident, Incidents } from '../api/types.js';
import { Empty, Shown } from '../parts/notice.js';
import { incidents, routing } from '../state/mesh.js';
import { IncidentLine } from './incident-line.js';
import {
  byGravity,
  INCIDENT_FIGURES,
  incidentWords,
  shownAtFirst,
  type IncidentWords,
} from './incident-words.js';
import { isWanted } from './models-shown.js';
import { folds, typed } from './overview-state.js';

interface Line {
  readonly incident: Incident;
  readonly words: IncidentWords;
}

/** On top of everything: is something wrong, since when, and where? */
export function IncidentCard() {
  return (
    <section class="card" data-testid="incidents" aria-labelledby="incidents-title">
      <header>
        <h2 id="incidents-title">Health</h2>
        <p class="soft small">The last five minutes, against the same an hour ago</p>
      </header>
      <Shown polled={incidents.polled.value} quietWhenGone>
        {(answer) => <Lines answer={answer} />}
      </Shown>
    </section>
  );
}

function Lines({ answer }: { answer: Incidents }) {
  const routes = new Map(
    routing.polled.value.value?.models.map((each) => [each.model, each.candidates.length > 0]),
  );
  const lines = byGravity(
    answer.data
      .filter(({ model }) => isWanted(model, typed.value))
      .map((incident): Line => ({
        incident,
        words: incidentWords(incident, routes.get(incident.model) ?? null),
      })),
  );
  const first = shownAtFirst(lines);
  const isAll = folds.value.get('health') === true;
  const shown = isAll ? lines : first;
  if (lines.length === 0) return <Empty>No model has been called yet.</Empty>;
  return (
    <>
      <p class="incident incident-heads" aria-hidden="true">
        <span>Model</span>
        <span />
        {INCIDENT_FIGURES.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </p>
      <ul class="incidents">
        {shown.map(({ incident, words }) => (
          <IncidentLine key={incident.model} incident={incident} words={words} />
        ))}
      </ul>
      {first.length < lines.length && (
        <button
          type="button"
          class="incidents-more"
          aria-expanded={isAll}
          onClick={() => {
            folds.value = new Map(folds.peek()).set('health', !isAll);
          }}
        >
          {isAll ? 'Show fewer' : moreText(lines.slice(first.length))}
        </button>
      )}
    </>
  );
}

function moreText(hidden: readonly Line[]): string {
  const troubled = hidden.filter(({ words: { gravity } }) => gravity === 'bad' || gravity === 'warn').length;
  const models = hidden.length === 1 ? '1 more model' : `${String(hidden.length)} more models`;
  return troubled === 0 ? `${models} without trouble` : `${models}, ${String(troubled)} of them worth a look`;
}
