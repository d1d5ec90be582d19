import type { CallRecord } from '../api/types.js';
import { clockTime, dateTime, duration, tps } from '../parts/format.js';
import { memo } from '../parts/memo.js';
import { routeText } from '../parts/signature.js';
import { Tag } from '../parts/tag.js';
import { linkTo } from '../state/place.js';
import { modeWord, sampleSentence, sampleText, stateWord } from './words.js';

interface RowProps {
  readonly call: CallRecord;
  /** Its place among all calls that are shown, 1 for the first. */
  readonly index: number;
  readonly isSelected: boolean;
}

/** One call. The roles say again what the elements are: on narrow pages the row is laid out as a grid. */
export const WallRow = memo(({ call, index, isSelected }: RowProps) => {
  const state = stateWord(call);
  const started = Date.parse(call.started_at);
  return (
    <tr
      role="row"
      // The heading is the first row.
      aria-rowindex={index + 1}
      data-request-id={call.request_id}
      data-outcome={call.outcome ?? 'open'}
      data-selected={isSelected}
    >
      <td role="cell" class="c-started">
        <a
          href={linkTo('calls', call.request_id)}
          title={dateTime(started)}
          aria-label={`Story of the call of ${clockTime(started)}`}
          aria-current={isSelected ? 'true' : undefined}
        >
          {clockTime(started)}
        </a>
      </td>
      <td role="cell" class="c-state">
        <Tag mark={state.mark} tone={state.tone} title={state.meaning}>
          {state.word}
        </Tag>
      </td>
      <td role="cell" class="c-model" title={call.model}>
        {call.model}
      </td>
      <td role="cell" class="c-mode">
        <Mode call={call} />
      </td>
      <Route call={call} />
      <td role="cell" class="number c-tries">
        {call.attempts.length > 1 ? `${String(call.attempts.length)}×` : ''}
      </td>
      <td role="cell" class="number c-total">
        {duration(call.total_ms ?? call.age_ms ?? null)}
      </td>
      <td role="cell" class="number c-ttft">
        {duration(call.ttft_ms)}
      </td>
      <td role="cell" class="number c-tokens" title={call.tokens_estimated ? 'estimated' : undefined}>
        {tokensText(call)}
      </td>
      <td role="cell" class="number c-tps">
        {tps(call.tps)}
      </td>
      <td role="cell" class="c-sample soft" title={sampleSentence(call)}>
        {sampleText(call.sample)}
      </td>
    </tr>
  );
});

function Mode({ call: { routing } }: { call: CallRecord }) {
  if (routing === null) return null;
  const { mark, word, meaning } = modeWord(routing.mode);
  return (
    <span title={meaning}>
      <span class="tag-glyph" aria-hidden="true">
        {mark}
      </span>{' '}
      {word}
    </span>
  );
}

function Route({ call: { routing, model } }: { call: CallRecord }) {
  const text = routing === null ? '' : routeText(routing.signature, model);
  return (
    <td role="cell" class="c-route" title={routing?.signature}>
      {text}
    </td>
  );
}

function tokensText({ completion_tokens: tokens, tokens_estimated: isEstimated }: CallRecord): string {
  if (tokens === null) return '–';
  return isEstimated ? `≈${String(tokens)}` : String(tokens);
}
