/** Which rows of a long list are in the document, and how much empty room stands for the others. */
export interface RowWindow {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

/** Rows outside of the view that are there nevertheless, so that scrolling meets no gaps. */
const OVERSCAN = 12;

/** All rows have one height; `from` is even, so that stripes stay where they are while one scrolls. */
export function rowWindow(count: number, rowPx: number, scrollTop: number, viewPx: number): RowWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowPx) - OVERSCAN;
  const from = Math.max(0, Math.min(first - (first % 2), count - 1));
  const to = Math.min(count, from + Math.ceil(viewPx / rowPx) + 2 * OVERSCAN + 2);
  return { from, to, abovePx: from * rowPx, belowPx: (count - to) * rowPx };
}

/**
 * Where to scroll to after rows were added or went, so that the row at the view's top stays there. At the very top
 * one sees what is new.
 */
export function keptScroll(
  before: readonly string[],
  after: readonly string[],
  scrollTop: number,
  rowPx: number,
): number {
  if (scrollTop < rowPx / 2) return scrollTop;
  const first = Math.floor(scrollTop / rowPx);
  const positions = new Map(after.map((key, at) => [key, at]));
  for (let at = first; at < before.length; at += 1) {
    const now = positions.get(before[at] ?? '');
    if (now !== undefined) return scrollTop + (now - at) * rowPx;
  }
  return scrollTop;
}
