import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keptScroll, rowWindow } from '../parts/row-window.js';
import { linkTo } from '../state/place.js';
import { callKey, type Wall } from './wall.js';
import { WallRow } from './wall-row.js';

const COLUMNS: readonly (readonly [className: string, text: string])[] = [
  ['c-started', 'Started'],
  ['c-state', 'State'],
  ['c-model', 'Model'],
  ['c-mode', 'Mode'],
  ['c-route', 'Route'],
  ['number c-tries', 'Tries'],
  ['number c-total', 'Total'],
  ['number c-ttft', 'First token'],
  ['number c-tokens', 'Tokens'],
  ['number c-tps', 'tok/s'],
  ['c-sample', 'Sample'],
];

/** Until the first row was measured. */
const GUESSED_ROW_PX = 30;

/** Calls as a table of which only the rows in view are in the document. */
export function WallTable({ wall, selected }: { wall: Wall; selected: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ rowPx: GUESSED_ROW_PX, viewPx: 800 });
  const [scrollTop, setScrollTop] = useState(0);
  const keys = useMemo(() => wall.map(callKey), [wall]);
  const before = useRef(keys);
  const top = before.current === keys ? scrollTop : keptScroll(before.current, keys, scrollTop, size.rowPx);
  const shown = rowWindow(wall.length, size.rowPx, top, size.viewPx);

  useLayoutEffect(() => {
    before.current = keys;
    if (box.current !== null && top !== scrollTop) {
      box.current.scrollTop = top;
      setScrollTop(box.current.scrollTop);
    }
  }, [keys]);

  const isEmpty = wall.length === 0;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      const row = element.querySelector('tr[data-request-id]');
      const rowPx = row?.getBoundingClientRect().height ?? 0;
      setSize((was) => {
        const now = { rowPx: rowPx > 0 ? rowPx : was.rowPx, viewPx: element.clientHeight };
        return now.rowPx === was.rowPx && now.viewPx === was.viewPx ? was : now;
      });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [isEmpty]);

  return (
    <div
      ref={box}
      class="wall-rows"
      role="region"
      aria-label="Calls, newest first"
      tabIndex={0}
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
    >
      <table role="table" aria-rowcount={wall.length + 1}>
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {COLUMNS.map(([className, text]) => (
              <th key={text} role="columnheader" scope="col" class={className}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" onClick={openStory}>
          <Gap px={shown.abovePx} />
          {wall.slice(shown.from, shown.to).map((call, at) => (
            <WallRow
              key={keys[shown.from + at]}
              call={call}
              index={shown.from + at + 1}
              isSelected={call.request_id === selected}
            />
          ))}
          <Gap px={shown.belowPx} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are not in the document. */
function Gap({ px }: { px: number }) {
  return (
    <tr class="row-gap" aria-hidden="true" hidden={px === 0} style={{ height: `${String(px)}px` }}>
      <td />
    </tr>
  );
}

/** The whole row is the link's target for a mouse; who marks text wants to copy it. */
function openStory({ target }: MouseEvent): void {
  if (!(target instanceof Element) || target.closest('a') !== null) return;
  if (getSelection()?.isCollapsed === false) return;
  const id = target.closest<HTMLElement>('tr[data-request-id]')?.dataset.requestId;
  if (id !== undefined) location.hash = linkTo('calls', id);
}
