import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TimelineFact } from '../api/types.js';
import { clockTime } from '../parts/format.js';
import { marksOf, stretchOf, ticksOf, type Mark, type Stretch } from './axis.js';
import { factKey, LANES, told } from './facts.js';
import { MarkShape } from './mark-shape.js';
import { momentText } from './moment.js';
import { light, lit, zoom } from './timeline-view.js';

const LANE_PX = 46;
const EDGE_PX = 20;
const TICKS_PX = 22;
const HEIGHT_PX = LANES.length * LANE_PX + TICKS_PX;
/** Marks closer than this would cover one another. */
const GAP_PX = 15;
const PX_PER_TICK = 90;
/** A mark of more facts than this names but the newest. */
const MOST_NAMED = 8;

/**
 * The facts on one axis of time, a lane for each kind. For the eye and the mouse: what stands on it, the list below
 * says in words.
 */
export function TimeAxis({ facts, now }: { facts: readonly TimelineFact[]; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const stretch = stretchOf(zoom.value, facts, now);
  const inner = Math.max(0, width - 2 * EDGE_PX);
  const marks = marksOf(facts, stretch, inner, GAP_PX);
  const count = marks.reduce((sum, mark) => sum + mark.facts.length, 0);
  return (
    <div ref={box} class="time-axis">
      <svg
        width={width}
        height={HEIGHT_PX}
        role="img"
        aria-label={`${String(count)} changes from ${momentText(stretch.from, now)} to ${clockTime(now)}; the list below names them`}
      >
        <g transform={`translate(${String(EDGE_PX)} 0)`}>
          <Ticks stretch={stretch} width={inner} now={now} />
          {LANES.map((lane, at) => (
            <g key={lane} transform={`translate(0 ${String(at * LANE_PX)})`}>
              <line
                class="lane-line"
                x1={-EDGE_PX}
                x2={inner + EDGE_PX}
                y1={LANE_PX - 0.5}
                y2={LANE_PX - 0.5}
              />
              <text class="lane-name" x={-EDGE_PX + 4} y={14}>
                {lane}
              </text>
              {marks
                .filter((mark) => mark.lane === lane)
                .map((mark) => (
                  <AxisMark key={mark.key} mark={mark} now={now} />
                ))}
            </g>
          ))}
        </g>
      </svg>
    </div>
  );
}

function Ticks({ stretch, width, now }: { stretch: Stretch; width: number; now: number }) {
  const offsetMin = -new Date(stretch.to).getTimezoneOffset();
  const bottom = LANES.length * LANE_PX;
  const isDays = stretch.to - stretch.from > 36 * 3_600_000;
  return (
    <>
      {ticksOf(stretch, Math.max(2, width / PX_PER_TICK), offsetMin).map((at) => {
        const x = ((at - stretch.from) / (stretch.to - stretch.from)) * width;
        return (
          <g key={at} transform={`translate(${String(x)} 0)`}>
            <line class="tick-line" y1={0} y2={bottom + 4} />
            <text class="tick-name" y={bottom + 17} text-anchor={x < 20 ? 'start' : 'middle'}>
              {isDays ? momentText(at, now) : clockTime(at).slice(0, 5)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function AxisMark({ mark, now }: { mark: Mark; now: number }) {
  const { x, facts, look } = mark;
  const isLit = facts.some((fact) => lit.value.has(factKey(fact)));
  return (
    <g
      class="axis-mark"
      data-tone={look.tone}
      data-lit={isLit}
      transform={`translate(${x.toFixed(1)} 30)`}
      onClick={() => {
        light(facts);
        // The row may have to be rendered first.
        requestAnimationFrame(() =>
          document.querySelector('.timeline-list tr[data-lit="true"]')?.scrollIntoView({ block: 'nearest' }),
        );
      }}
    >
      <title>{titleOf(facts, now)}</title>
      <rect x={-8} y={-14} width={16} height={28} fill="transparent" />
      <MarkShape shape={look.shape} />
      {facts.length > 1 && (
        <text class="mark-count" x={8} y={-5}>
          {facts.length}
        </text>
      )}
    </g>
  );
}

function titleOf(facts: readonly TimelineFact[], now: number): string {
  const lines = facts.slice(0, MOST_NAMED).map((fact) => `${momentText(fact.at, now)}  ${told(fact).text}`);
  const more = facts.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n');
}
