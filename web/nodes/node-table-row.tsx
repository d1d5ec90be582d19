import type { NodeRow } from '../api/types.js';
import { fixed, tps } from '../parts/format.js';
import { memo } from '../parts/memo.js';
import { Tag } from '../parts/tag.js';
import { act, toDelete } from './node-actions.js';
import { agoText, factorText, inFlightText, shardText, SOURCES, stateWord } from './node-words.js';

interface RowProps {
  readonly node: NodeRow;
  readonly isBusy: boolean;
  /** Nobody would hear what the buttons ask for. */
  readonly isGone: boolean;
}

/** By what is shown: each poll brings new objects, mostly with the same in them but for the last sign of life. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  return (
    before.isBusy === after.isBusy &&
    before.isGone === after.isGone &&
    JSON.stringify(shownOf(before.node)) === JSON.stringify(shownOf(after.node))
  );
}

function shownOf(node: NodeRow): object {
  const { throughput_tps, reputation, last_seen_seconds_ago, resting_seconds } = node;
  return {
    ...node,
    throughput_tps: tps(throughput_tps),
    reputation: fixed(reputation, 2),
    last_seen_seconds_ago: agoText(last_seen_seconds_ago),
    resting_seconds: resting_seconds === null ? null : stateWord(node).word,
    speed_factor: factorText(node),
    speed_sigma: null,
  };
}

export const NodeTableRow = memo(({ node, isBusy, isGone }: RowProps) => {
  const { node_id, model, upstream_model, endpoint, breaker } = node;
  const state = stateWord(node);
  return (
    <tr role="row" data-node-id={node_id} data-model={model} aria-busy={isBusy}>
      <th role="rowheader" scope="row" class="n-node">
        <span class="clip" title={node_id}>
          {node_id}
        </span>
        <span class="clip soft mono" title={endpoint}>
          {endpoint}
        </span>
      </th>
      <td role="cell" class="n-model">
        <span class="clip" title={model}>
          {model}
        </span>
        {upstream_model !== null && (
          <span class="clip soft" title={`The node calls it ${upstream_model}`}>
            as {upstream_model}
          </span>
        )}
      </td>
      <td role="cell" class="n-shard" data-label="layers">
        {shardText(node)}
      </td>
      <td role="cell" class="n-status">
        <Tag mark={state.mark} tone={state.tone} title={node.resting_seconds === null ? state.word : RESTING}>
          {state.word}
        </Tag>
      </td>
      <td role="cell" class="n-breaker" data-label="breaker">
        <Breaker state={breaker} />
      </td>
      <td role="cell" class="number" data-label="reputation">
        {fixed(node.reputation, 2)}
      </td>
      <td role="cell" class="number" data-label="tok/s">
        {tps(node.throughput_tps)}
      </td>
      <td role="cell" class="number" data-label="factor">
        {factorText(node)}
        {node.speed_suspect && (
          <Tag mark="!" tone="warn" title="Over 20 times as fast as the model’s median route: worth a look.">
            suspect
          </Tag>
        )}
      </td>
      <td role="cell" class="number" data-label="queue">
        {node.queue_depth}
      </td>
      <td role="cell" class="number" data-label="in flight">
        {inFlightText(node)}
      </td>
      <td role="cell" class="number" data-label="last seen">
        {agoText(node.last_seen_seconds_ago)}
      </td>
      <td role="cell" class="n-source">
        {SOURCES[node.source] ?? node.source}
      </td>
      <td role="cell" class="n-actions">
        <Actions node={node} isBusy={isBusy} isGone={isGone} />
      </td>
    </tr>
  );
}, isSameRow);

const RESTING = 'It asked by Retry-After to get no chats: none go there while another route can serve.';

function Breaker({ state }: { state: NodeRow['breaker'] }) {
  if (state === 'closed') return <span class="soft">closed</span>;
  return state === 'open' ? (
    <Tag mark="✕" tone="bad" title="It failed several times in a row: no route goes there for now.">
      open
    </Tag>
  ) : (
    <Tag mark="◐" tone="warn" title="One call is let through to see whether it works again.">
      half-open
    </Tag>
  );
}

function Actions({ node, isBusy, isGone }: RowProps) {
  const { node_id, status } = node;
  const isOff = isBusy || isGone;
  const toggle = status === 'ready' ? 'drain' : 'resume';
  const why = isGone ? 'nodes-gone' : undefined;
  return (
    <>
      <button
        type="button"
        disabled={isOff}
        aria-describedby={why}
        aria-label={`${toggle === 'drain' ? 'Drain' : 'Resume'} ${node_id}`}
        title={toggle === 'drain' ? 'No new chats; those that run go on' : 'New chats may go there again'}
        onClick={() => void act(toggle, node)}
      >
        {toggle === 'drain' ? 'Drain' : 'Resume'}
      </button>
      <button
        type="button"
        disabled={isOff}
        aria-describedby={why}
        aria-label={`Delete ${node_id}`}
        aria-haspopup="dialog"
        onClick={() => (toDelete.value = node)}
      >
        Delete
      </button>
    </>
  );
}
