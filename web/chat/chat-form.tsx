import type { Signal } from '@preact/signals';
import type { Candidate } from '../api/types.js';
import { tps } from '../parts/format.js';
import { routeText } from '../parts/signature.js';
import {
  candidates,
  chooseModel,
  chooseRoute,
  chosenRoute,
  maxTokens,
  model,
  modelChoices,
  system,
  temperature,
  TYPED,
  typedHops,
} from './chat-choices.js';

/** Where the next question goes, and how it is to be answered. */
export function ChatForm() {
  return (
    <div class="chat-form">
      <label>
        Model
        <select
          data-testid="chat-model"
          value={model.value}
          disabled={modelChoices.value.length === 0}
          onChange={({ currentTarget }) => chooseModel(currentTarget.value)}
        >
          {model.value === '' && (
            <option value="">
              {modelChoices.value.length === 0 ? 'no model known yet' : 'none has a route now'}
            </option>
          )}
          {modelChoices.value.map(({ id, hasRoute }) => (
            <option key={id} value={id} disabled={!hasRoute}>
              {hasRoute ? id : `${id} (no route now)`}
            </option>
          ))}
          {model.value !== '' && !modelChoices.value.some(({ id }) => id === model.value) && (
            <option value={model.value}>{model.value} (no route now)</option>
          )}
        </select>
      </label>
      <label>
        Route
        <select
          data-testid="chat-pin"
          value={chosenRoute.value}
          onChange={({ currentTarget }) => chooseRoute(currentTarget.value)}
        >
          <option value="">The tracker chooses</option>
          <RouteOptions />
          <option value={TYPED}>Other hops …</option>
        </select>
      </label>
      {chosenRoute.value === TYPED && (
        <label class="wide-field">
          Node ids, first hop first
          <input
            type="text"
            placeholder="alice.gpu:0-21, carol.tail:22-39"
            value={typedHops.value}
            onInput={({ currentTarget }) => (typedHops.value = currentTarget.value)}
          />
        </label>
      )}
      <details class="wide-field">
        <summary>System prompt, length, temperature</summary>
        <div class="chat-more">
          <label class="wide-field">
            System prompt
            <textarea
              rows={2}
              value={system.value}
              onInput={({ currentTarget }) => (system.value = currentTarget.value)}
            />
          </label>
          <NumberField label="Max tokens" of={maxTokens} min={1} step={1} />
          <NumberField label="Temperature" of={temperature} min={0} step={0.1} />
        </div>
      </details>
    </div>
  );
}

function RouteOptions() {
  const chosen = chosenRoute.value;
  const isGone =
    chosen !== '' && chosen !== TYPED && !candidates.value.some(({ signature }) => signature === chosen);
  return (
    <>
      {candidates.value.map((candidate) => (
        <option key={candidate.signature} value={candidate.signature}>
          {optionText(candidate)}
        </option>
      ))}
      {isGone && <option value={chosen}>{routeText(chosen, model.value)} (gone)</option>}
    </>
  );
}

function optionText({ signature, status, tps: learned }: Candidate): string {
  const speed = learned === null ? '' : `, ${tps(learned)} tok/s`;
  return `${routeText(signature, model.value)} (${status}${speed})`;
}

function NumberField({
  label,
  of,
  min,
  step,
}: {
  label: string;
  of: Signal<string>;
  min: number;
  step: number;
}) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={min}
        step={step}
        placeholder="the node's own"
        value={of.value}
        onInput={({ currentTarget }) => (of.value = currentTarget.value)}
      />
    </label>
  );
}
