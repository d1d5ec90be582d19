import type { Incident, Incidents } from '../api/types.js';
import { Empty, Shown } from '../parts/notice.js';
import { incidents, routing } from '../state/mesh.js';
import { IncidentLine } from './incident-line.js';
import { byGravity, incidentWords, type IncidentWords } from './incident-words.js';
import { isWanted } from './models-shown.js';
import { folds, typed } from './overview-state.js';

/** Whatever is not well is always shown; of calm models so many lines. */
const CALM_LINES = 4;

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
  const troubled = lines.filter(({ words: { gravity } }) => gravity === 'bad' || gravity === 'warn');
  const calm = lines.length - troubled.length;
  const isAll = calm <= CALM_LINES + 1 || folds.value.get('calm') === true;
  const shown = isAll ? lines : lines.slice(0, troubled.length + CALM_LINES);
  if (lines.length === 0) return <Empty>No model has been called yet.</Empty>;
  return (
    <>
      <ul class="incidents">
        {shown.map(({ incident, words }) => (
          <IncidentLine key={incident.model} incident={incident} words={words} />
        ))}
      </ul>
      {calm > CALM_LINES + 1 && (
        <button
          type="button"
          class="incidents-more"
          aria-expanded={isAll}
          onClick={() => {
            folds.value = new Map(folds.peek()).set('calm', !isAll);
          }}
        >
          {isAll ? 'Fewer calm models' : `${String(lines.length - shown.length)} more models without trouble`}
        </button>
      )}
    </>
  );
}
