import { routing } from '../state/mesh.js';
import { isWanted, MODELS_OPEN } from './models-shown.js';
import { typed } from './overview-state.js';

/** With many models: which of them the tab shows. */
export function ModelFilter() {
  const models = routing.polled.value.value?.models ?? [];
  if (models.length <= MODELS_OPEN && typed.value === '') return null;
  const wanted = models.filter(({ model }) => isWanted(model, typed.value)).length;
  return (
    <p class="model-filter">
      <label>
        Models{' '}
        <input
          type="text"
          placeholder="filter by name"
          data-testid="model-filter"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
      </label>
      <span class="soft" role="status">
        {`${String(wanted)} of ${String(models.length)}`}
      </span>
    </p>
  );
}
