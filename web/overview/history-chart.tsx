import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clockTime, tps } from '../parts/format.js';
import { theme } from '../state/theme.js';
import { HISTORY_SECONDS, type HistorySeries } from './history-series.js';

interface ChartProps {
  readonly series: HistorySeries;
  readonly nowSeconds: number;
  readonly label: string;
}

const HEIGHT = 190;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** The learned speed as a line, what each minute's samples said as dots. */
export function HistoryChart({ series, nowSeconds, label }: ChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const readout = useSignal('');
  const end = useRef(nowSeconds);
  end.current = Math.max(nowSeconds, series.at.at(-1) ?? 0);

  useEffect(() => {
    const here = room.current;
    if (here === null) return;
    const drawn = new uPlot(
      options(here.clientWidth, () => end.current, readout),
      columns(series),
      here,
    );
    chart.current = drawn;
    const sized = new ResizeObserver(() => drawn.setSize({ width: here.clientWidth, height: HEIGHT }));
    sized.observe(here);
    const redraw = () => drawn.redraw(false, true);
    DARK.addEventListener('change', redraw);
    const unsubscribe = theme.subscribe(() => queueMicrotask(redraw));
    return () => {
      unsubscribe();
      DARK.removeEventListener('change', redraw);
      sized.disconnect();
      drawn.destroy();
      chart.current = null;
    };
    // Made once; new figures go to the same chart, below.
  }, []);

  useEffect(() => {
    chart.current?.setData(columns(series));
  }, [series]);

  return (
    <div class="chart">
      <div ref={room} role="img" aria-label={label} class="chart-room" />
      <p class="chart-legend small" aria-hidden="true">
        <span class="key-line" /> learned <span class="key-dot" /> mean of a minute’s samples
        <span class="chart-readout">{readout}</span>
      </p>
    </div>
  );
}

function columns({ at, learned, sampled }: HistorySeries): uPlot.AlignedData {
  return [[...at], [...learned], [...sampled]];
}

function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name);
}

function options(width: number, end: () => number, readout: Signal<string>): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('--ink-soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1, size: 4 },
    font: '12px system-ui, sans-serif',
  };
  return {
    width,
    height: HEIGHT,
    padding: [10, 10, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { range: () => [end() - HISTORY_SECONDS, end()] },
      y: { range: (_chart, _least, most) => [0, Math.max(most, 0.1) * 1.12] },
    },
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 2,
        spanGaps: true,
        points: { show: false },
        paths: uPlot.paths.stepped?.({ align: 1 }) ?? (() => null),
      },
      {
        stroke: colour('--warn'),
        paths: () => null,
        points: { show: true, size: 6, fill: colour('--warn'), width: 0 },
      },
    ],
    axes: [
      {
        ...axis,
        values: (_chart, seconds) => seconds.map((at) => clockTime(at * 1000).slice(0, 5)),
        size: 28,
        space: 60,
      },
      { ...axis, size: 40, space: 32, values: (_chart, values) => values.map((value) => String(value)) },
    ],
    hooks: { setCursor: [(chart) => (readout.value = readAt(chart))] },
  };
}

/** What stands under the cursor, in words. */
function readAt({ cursor: { idx }, data: [at, learned, sampled] }: uPlot): string {
  if (idx === null || idx === undefined) return '';
  const mean = sampled?.[idx];
  const parts = [`${clockTime((at[idx] ?? 0) * 1000).slice(0, 5)}`, `learned ${tps(learned?.[idx] ?? null)}`];
  if (mean !== null && mean !== undefined) parts.push(`samples ${tps(mean)}`);
  return parts.join(' · ');
}
