import { earnings } from '../state/mesh.js';
import { earningsWords } from './earnings-words.js';
import { isWanted } from './models-shown.js';
import { typed } from './overview-state.js';

/** The first line: what choosing well saved its users, and what trying routes out cost them. */
export function EarningsLine() {
  const { value } = earnings.polled.value;
  const words = earningsWords((value?.data ?? []).filter(({ model }) => isWanted(model, typed.value)));
  if (words === null) return null;
  const { saved, scouts, why } = words;
  return (
    <p class="earnings" data-testid="earnings">
      {saved !== null && (
        <span>
          {saved.map(({ figure, rest }) => (
            <span key={rest} class="earnings-part">
              <strong>{figure}</strong> {rest}
            </span>
          ))}
        </span>
      )}
      <span>{scouts}</span>
      {why !== null && <span class="soft">{why}</span>}
    </p>
  );
}
