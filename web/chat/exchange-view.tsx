import type { RouteMode } from '../api/types.js';
import { modeWord } from '../calls/words.js';
import { duration, tps } from '../parts/format.js';
import { memo } from '../parts/memo.js';
import { routeText } from '../parts/signature.js';
import { linkTo } from '../state/place.js';
import type { Exchange } from './conversation.js';
import { shownText } from './shown-text.js';

/** A question and its answer, and below it who answered and how fast. */
export const ExchangeView = memo(({ exchange }: { exchange: Exchange }) => {
  const { question, reading, state, fault } = exchange;
  const isThinking = state === 'running' && reading.text === '';
  return (
    <article class="exchange" data-state={state} data-testid="chat-exchange">
      <h3 class="sr-only">You</h3>
      <p class="question">{question}</p>
      <h3 class="sr-only">Answer</h3>
      {reading.reasoning !== '' && (
        <details class="reasoning" open={isThinking}>
          <summary>Reasoning</summary>
          <p>{shownText(reading.reasoning)}</p>
        </details>
      )}
      <p class="answer" data-testid="chat-answer" aria-busy={state === 'running'}>
        {shownText(reading.text)}
        {isThinking && reading.reasoning === '' && <span class="soft">waiting for the first token …</span>}
      </p>
      {fault !== null && (
        <p class="notice" data-kind="fault" role="alert">
          {fault}
        </p>
      )}
      <Footnote exchange={exchange} />
    </article>
  );
});

function Footnote({ exchange }: { exchange: Exchange }) {
  const { served, state, model, ttftMs, elapsedMs, reading } = exchange;
  if (served === null && state === 'running') return null;
  const { signature = null, requestId = null } = served ?? {};
  const mode = (served?.mode ?? null) as RouteMode | null;
  const said = mode === null ? null : modeWord(mode);
  return (
    <ul class="footnote soft">
      {state === 'stopped' && <li>stopped by you</li>}
      {reading.finishReason === 'length' && <li>ended at the token limit</li>}
      {signature !== null && (
        <li data-testid="chat-route" title={signature}>
          {routeText(signature, model)}
        </li>
      )}
      {said !== null && (
        <li title={said.meaning}>
          {said.mark} {said.word}
        </li>
      )}
      {served !== null && served.attempts > 1 && <li>{served.attempts} attempts</li>}
      {reading.pieces > 0 && <li>{speedText(exchange)}</li>}
      {ttftMs !== null && <li>first token after {duration(ttftMs)}</li>}
      {reading.pieces > 0 && <li>{duration(elapsedMs)} in all</li>}
      {requestId !== null && served?.hasStory === true && (
        <li>
          <a href={linkTo('calls', requestId)}>Story of this call</a>
        </li>
      )}
    </ul>
  );
}

/** Over the same time as the tracker takes it: from asking until the last byte. */
function speedText({ reading: { completionTokens, pieces }, elapsedMs }: Exchange): string {
  const tokens = completionTokens ?? pieces;
  const about = completionTokens === null ? '≈' : '';
  const speed = tps((tokens * 1000) / Math.max(1, elapsedMs));
  return `${about}${String(tokens)} tokens, ${about}${speed} tok/s`;
}
