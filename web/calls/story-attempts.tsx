import type { Attempt, CallRecord, ConsideredRoute } from '../api/types.js';
import { duration, percent, tps, UNKNOWN } from '../parts/format.js';
import { routeText } from '../parts/signature.js';
import { Tag } from '../parts/tag.js';
import { attemptBars, candidateNote, decisionSentence } from './story-words.js';
import { causeText, modeWord, outcomeWord } from './words.js';

/** The routes that a call tried, one after the other, on one axis of time. */
export function Attempts({ call }: { call: CallRecord }) {
  const bars = attemptBars(call);
  return (
    <ol class="attempts">
      {call.attempts.map((attempt, at) => (
        <AttemptItem
          key={at}
          attempt={attempt}
          model={call.model}
          bar={bars[at] ?? { from: 0, width: 0 }}
          isLast={at === call.attempts.length - 1}
        />
      ))}
    </ol>
  );
}

function AttemptItem({
  attempt,
  model,
  bar,
  isLast,
}: {
  attempt: Attempt;
  model: string;
  bar: { readonly from: number; readonly width: number };
  isLast: boolean;
}) {
  const { outcome, status, ms, signature, candidates = [], candidates_not_kept: more = 0 } = attempt;
  const word = outcomeWord(outcome);
  const mode = modeWord(attempt.mode);
  return (
    <li>
      <p class="attempt-line">
        <Tag mark={word.mark} tone={word.tone} title={word.meaning}>
          {word.word}
        </Tag>
        <span class="soft">
          {mode.mark} {mode.word}, {percent(attempt.probability)}
          {status !== null && ` · HTTP ${String(status)}`}
        </span>
        <span class="number">{duration(ms)}</span>
      </p>
      <div class="attempt-bar" aria-hidden="true">
        <span
          data-tone={word.tone}
          style={{ left: `${String(bar.from * 100)}%`, width: `${String(bar.width * 100)}%` }}
        />
      </div>
      <p class="breakable" title={signature}>
        {routeText(signature, model)}
      </p>
      <Failure attempt={attempt} />
      {!isLast && <p class="soft">{decisionSentence(attempt)}</p>}
      {candidates.length > 0 && (
        <details open={isLast}>
          <summary>{candidatesText(candidates.length, more)}</summary>
          <Candidates candidates={candidates} chosen={signature} model={model} />
        </details>
      )}
    </li>
  );
}

function candidatesText(count: number, more: number): string {
  if (more > 0) return `The best ${String(count)} of ${String(count + more)} candidates, as they stood`;
  return count === 1 ? 'One candidate, as it stood' : `${String(count)} candidates, as they stood`;
}

function Failure({ attempt: { failed_node_id: node, cause } }: { attempt: Attempt }) {
  if (node === null && cause === null) return null;
  return (
    <p class="failure breakable">
      {node ?? 'A node'} {cause === null ? 'failed' : causeText(cause)}
      {cause !== null && (
        <>
          {' '}
          <code class="soft">{cause}</code>
        </>
      )}
    </p>
  );
}

function Candidates({
  candidates,
  chosen,
  model,
}: {
  candidates: readonly ConsideredRoute[];
  chosen: string;
  model: string;
}) {
  return (
    <div class="scroll scroll-hint" role="region" aria-label="Candidates" tabIndex={0}>
      <table class="compact candidates">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              tok/s
            </th>
            <th scope="col" class="number">
              Prior
            </th>
            <th scope="col" class="number">
              Weight
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((candidate) => (
            <CandidateRow
              key={candidate.signature}
              candidate={candidate}
              isChosen={candidate.signature === chosen}
              model={model}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CandidateRow({
  candidate,
  isChosen,
  model,
}: {
  candidate: ConsideredRoute;
  isChosen: boolean;
  model: string;
}) {
  const { signature, status, prior_tps, weight, traffic_share, left_out } = candidate;
  const note = candidateNote(candidate);
  return (
    <tr data-chosen={isChosen} data-left-out={left_out !== null}>
      <td class="candidate-route" title={signature}>
        {isChosen && <span class="chosen">→ chosen</span>} <span>{routeText(signature, model)}</span>
        {note !== '' && <span class="candidate-note soft">{note}</span>}
      </td>
      <td>{status ?? UNKNOWN}</td>
      <td class="number">{tps(candidate.tps)}</td>
      <td class="number">{tps(prior_tps)}</td>
      <td class="number">{tps(weight)}</td>
      <td class="number">{left_out === null ? percent(traffic_share) : UNKNOWN}</td>
    </tr>
  );
}
