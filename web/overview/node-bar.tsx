import type { Signal } from '@preact/signals';
import type { NodeRow } from '../api/types.js';
import { memo } from '../parts/memo.js';
import { tipHandlers } from '../parts/tip-layer.js';
import { nodeName, spanText } from './hop-names.js';
import { extentOf } from './map-lanes.js';
import { loadText, nodeText, speedText, troubleOf } from './node-words.js';

interface NodeBarProps {
  readonly node: NodeRow;
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly numLayers: number;
  /** The layers that the lit route has it run; null when it isn't on it. */
  readonly litStart: number | null;
  readonly litEnd: number | null;
  /** Where the tab key stops among the bars. */
  readonly isStop: boolean;
  readonly focused: Signal<string | null>;
}

/** A node's shard as a bar, with speed, load and what is wrong with it. */
export const NodeBar = memo(function NodeBar(props: NodeBarProps) {
  const { node, start, end, lane, numLayers, litStart, litEnd, isStop, focused } = props;
  const trouble = troubleOf(node);
  const text = nodeText(node, start, end);
  const { onFocus, ...tip } = tipHandlers(text);
  return (
    <li class="map-bar" style={{ ...extentOf(start, end, numLayers), '--lane': String(lane) }}>
      <button
        type="button"
        data-node={node.node_id}
        data-trouble={trouble?.kind}
        data-lit={litStart === null ? undefined : ''}
        tabIndex={isStop ? 0 : -1}
        {...tip}
        onFocus={(event) => {
          focused.value = node.node_id;
          onFocus(event);
        }}
      >
        {litStart !== null && litEnd !== null && (
          <span class="map-run" style={{ ...extentOf(litStart, litEnd, end - start + 1, start) }} />
        )}
        <span class="map-bar-name">
          {nodeName(node.node_id)} <span class="sr-only">layers </span>
          <span class="soft">{spanText(start, end)}</span>
        </span>
        <span class="map-bar-facts">
          {trouble !== null && (
            <span class="map-trouble">
              {trouble.mark} {trouble.text}
            </span>
          )}
          <span>{speedText(node)}</span>
          <span>{loadText(node)} in flight</span>
          {node.queue_depth > 0 && <span>queue {node.queue_depth}</span>}
        </span>
      </button>
    </li>
  );
}, sameBar);

const SHOWN = [
  'node_id',
  'throughput_tps',
  'queue_depth',
  'max_concurrent',
  'in_flight',
  'reputation',
  'breaker',
  'status',
] as const satisfies readonly (keyof NodeRow)[];

/** Each answer brings new rows; most say the same of what is shown. */
function sameBar(before: NodeBarProps, after: NodeBarProps): boolean {
  const { node: was, ...placed } = before;
  const { node: is, ...places } = after;
  return (
    (was.resting_seconds === null) === (is.resting_seconds === null) &&
    SHOWN.every((field) => was[field] === is[field]) &&
    (Object.keys(placed) as (keyof typeof placed)[]).every((name) => placed[name] === places[name])
  );
}
