import type { Incident } from '../api/types.js';
import {
  failureText,
  type Change,
  type Gravity,
  type IncidentFigure,
  type IncidentWords,
} from './incident-words.js';

const MARKS: Record<Gravity, string> = { bad: '✕', warn: '!', well: '✓', idle: '–' };
const TONES: Record<Gravity, string> = { bad: 'bad', warn: 'warn', well: 'good', idle: 'idle' };

/** One model's health on one line. */
export function IncidentLine({ incident, words }: { incident: Incident; words: IncidentWords }) {
  const { gravity, short, figures } = words;
  return (
    <li class="incident" data-testid="incident-line" data-model={incident.model} data-gravity={gravity}>
      <span class="incident-model" title={incident.model}>
        {incident.model}
      </span>
      <span class="incident-short">
        <span class="tag" data-tone={TONES[gravity]}>
          <span aria-hidden="true">{MARKS[gravity]}</span> {short}
        </span>
      </span>
      {figures.map((figure) => (
        <Figure key={figure.name} figure={figure} />
      ))}
      {incident.failures.length > 0 && <Failures failures={incident.failures} />}
    </li>
  );
}

function Figure({ figure: { name, now, change } }: { figure: IncidentFigure }) {
  return (
    <span class="incident-figure" data-figure={name}>
      <span class="incident-name soft">{name} </span>
      <strong>{now}</strong> <ChangeSign change={change} />
    </span>
  );
}

const WAYS: Record<Change['way'], string> = { up: '▲', down: '▼', same: '=', unknown: '·' };
const SPOKEN: Record<Change['way'], string> = { up: 'up ', down: 'down ', same: '', unknown: '' };

function ChangeSign({ change: { way, isWorse, words } }: { change: Change }) {
  return (
    <span class={isWorse ? 'incident-change bad-text' : 'incident-change soft'}>
      {words === '' ? (
        <span class="sr-only">unknown an hour ago</span>
      ) : (
        <>
          <span aria-hidden="true">{WAYS[way]} </span>
          <span class="sr-only">{SPOKEN[way]}</span>
          {words}
        </>
      )}
    </span>
  );
}

const NAMED = 4;

function Failures({ failures }: { failures: Incident['failures'] }) {
  const rest = failures.slice(NAMED);
  return (
    <ul class="incident-failures" aria-label="Failures by node and cause">
      {failures.slice(0, NAMED).map((failure) => (
        <Failure key={`${failure.node_id ?? ''} ${failure.cause}`} failure={failure} />
      ))}
      {rest.length > 0 && (
        <li>
          <details>
            <summary>{`${String(rest.length)} more`}</summary>
            <ul class="incident-failures">
              {rest.map((failure) => (
                <Failure key={`${failure.node_id ?? ''} ${failure.cause}`} failure={failure} />
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

function Failure({ failure }: { failure: Incident['failures'][number] }) {
  return <li class="incident-failure">{failureText(failure)}</li>;
}
