import type { ComponentChildren } from 'preact';
import { calls } from './feed.js';
import { ALL_CALLS, isFiltering, modelsOf, type CallFilters } from './filters.js';
import { filters, heldWall, newSincePause, paused } from './wall-view.js';
import { MODES, OUTCOMES, type Word } from './words.js';

function change(part: Partial<CallFilters>): void {
  filters.value = { ...filters.value, ...part };
}

/** What is shown of the wall, and whether it moves. */
export function WallControls() {
  const { model, mode, outcome, text } = filters.value;
  return (
    <form class="controls" role="search" aria-label="Calls" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Model"
        value={model}
        onChoose={(value) => change({ model: value })}
        options={modelsOf(heldWall.value, model).map((name) => [name, name])}
      />
      <Choice
        label="Mode"
        value={mode}
        onChoose={(value) => change({ mode: value as CallFilters['mode'] })}
        options={[...wordOptions(MODES), ['none', 'no route yet']]}
      />
      <Choice
        label="Outcome"
        value={outcome}
        onChoose={(value) => change({ outcome: value as CallFilters['outcome'] })}
        options={[['open', 'open'], ...wordOptions(OUTCOMES)]}
      />
      <label class="field">
        <span class="sr-only">Search route or request id</span>
        <input
          type="search"
          placeholder="route or request id"
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      </label>
      {isFiltering(filters.value) && (
        <button type="button" onClick={() => (filters.value = ALL_CALLS)}>
          Show all
        </button>
      )}
      <PauseButton />
    </form>
  );
}

function wordOptions(words: Readonly<Record<string, Word>>): [value: string, text: string][] {
  return Object.entries(words).map(([name, { mark, word }]) => [name, `${mark} ${word}`]);
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChoose: (value: string) => void;
}): ComponentChildren {
  return (
    <select
      aria-label={label}
      value={value}
      data-chosen={value !== ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{label}: all</option>
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

function PauseButton() {
  const isPaused = paused.value !== null;
  const waiting = newSincePause.value;
  return (
    <button
      type="button"
      class="pause"
      aria-pressed={isPaused}
      title={isPaused ? 'Let the rows move again' : 'Keep the rows where they are while you read'}
      onClick={() => (paused.value = isPaused ? null : (calls.peek().wall ?? []))}
    >
      {isPaused ? `Paused${waiting > 0 ? `, ${String(waiting)} new` : ''}` : 'Pause'}
    </button>
  );
}
