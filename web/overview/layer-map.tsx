import { useComputed, useSignal } from '@preact/signals';
import type { Hop, LayerGap } from '../api/types.js';
import { layersText, nodeName, spanText } from './hop-names.js';
import { extentOf, lanesOf, leastWidthRem, packed, ticksOf, type Bar } from './map-lanes.js';
import type { MappedModel } from './mapped-models.js';
import { NodeBar } from './node-bar.js';
import { lit } from './overview-state.js';

/** With more lanes than this each has one line of text. */
const ROOMY_LANES = 12;

/** The axis of layers, the hops of the lit route under it, and the nodes' shards in lanes. */
export function LayerMap({ mapped: { routing, nodes } }: { mapped: MappedModel }) {
  const { model, num_layers, gaps, candidates } = routing;
  const bars = packed(nodes, num_layers);
  const lanes = lanesOf(bars);
  // Of a light elsewhere this map needs to know nothing.
  const litHere = useComputed(() => (lit.value?.model === model ? lit.value.signature : null));
  const hops = candidates.find(({ signature }) => signature === litHere.value)?.hops ?? null;
  return (
    <div
      class="map-scroll"
      data-lit={hops === null ? undefined : ''}
      data-dense={lanes > ROOMY_LANES ? '' : undefined}
    >
      <div class="map" style={{ minWidth: `${String(leastWidthRem(bars, num_layers))}rem` }}>
        <div class="map-top">
          <Axis numLayers={num_layers} />
          <LitStrip hops={hops} numLayers={num_layers} />
          {gaps.length > 0 && <Gaps gaps={gaps} numLayers={num_layers} />}
        </div>
        <div class="map-lanes" style={{ '--lanes': String(Math.max(lanes, 1)) }}>
          <Bars bars={bars} numLayers={num_layers} hops={hops} model={model} />
        </div>
      </div>
    </div>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly numLayers: number;
  readonly hops: readonly Hop[] | null;
  readonly model: string;
}

/** One stop for the tab key; arrows go from node to node. */
function Bars({ bars, numLayers, hops, model }: BarsProps) {
  const focused = useSignal<string | null>(null);
  const stop = bars.some(({ node }) => node.node_id === focused.value)
    ? focused.value
    : (bars[0]?.node.node_id ?? null);
  return (
    <ul
      class="map-bars"
      aria-label={`Nodes of ${model}`}
      onKeyDown={(event) => {
        const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
        const step = steps[event.key];
        if (step === undefined || !(event.target instanceof Element)) return;
        event.preventDefault();
        const all = [...event.currentTarget.querySelectorAll('button')];
        all[all.indexOf(event.target as HTMLButtonElement) + step]?.focus();
      }}
    >
      {bars.map((bar) => {
        const { node_id } = bar.node;
        const hop = hops?.find((one) => one.node_id === node_id);
        return (
          <NodeBar
            key={node_id}
            {...bar}
            numLayers={numLayers}
            litStart={hop?.start_layer ?? null}
            litEnd={hop?.end_layer ?? null}
            isStop={node_id === stop}
            focused={focused}
          />
        );
      })}
    </ul>
  );
}

function Axis({ numLayers }: { numLayers: number }) {
  return (
    <div class="map-axis" aria-hidden="true">
      {ticksOf(numLayers).map((layer) => (
        <span key={layer} style={{ ...extentOf(layer, layer, numLayers) }}>
          <span>{layer}</span>
        </span>
      ))}
    </div>
  );
}

/** A lane of their own: a bar that would fill a gap, but drains, must not lie over it. In words the head says the same. */
function Gaps({ gaps, numLayers }: { gaps: readonly LayerGap[]; numLayers: number }) {
  return (
    <div class="map-gaps" aria-hidden="true" data-testid="map-gaps">
      {gaps.map(({ start_layer, end_layer }) => (
        <div
          key={start_layer}
          class="map-gap"
          title={`${layersText(start_layer, end_layer)}: nobody`}
          style={{ ...extentOf(start_layer, end_layer, numLayers) }}
        >
          <span>nobody</span>
        </div>
      ))}
    </div>
  );
}

/** The lit route on the axis, hop after hop with the layers it runs there. Its room is kept, so that nothing jumps. */
function LitStrip({ hops, numLayers }: { hops: readonly Hop[] | null; numLayers: number }) {
  return (
    <div class="map-strip" data-testid="lit-route">
      {hops?.map(({ node_id, start_layer, end_layer }) => (
        <span
          key={start_layer}
          style={{ ...extentOf(start_layer, end_layer, numLayers) }}
          title={`${node_id} runs ${layersText(start_layer, end_layer)}`}
        >
          {`${nodeName(node_id)} ${spanText(start_layer, end_layer)}`}
        </span>
      ))}
    </div>
  );
}
