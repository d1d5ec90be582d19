/** Layers `start..end`, both inclusive and counted from 0. */
export interface LayerSpan {
  readonly start: number;
  readonly end: number;
}

/** How many layers a span has. */
export function spanLength(span: LayerSpan): number {
  return span.end - span.start + 1;
}

/** What of `whole` no span covers, as ascending spans that don't touch. */
export function subtractSpans(whole: LayerSpan, covered: readonly LayerSpan[]): LayerSpan[] {
  const gaps: LayerSpan[] = [];
  let next = whole.start;
  for (const [start, end] of furthestEnds(covered)) {
    if (start > whole.end) break;
    if (start > next) gaps.push({ start: next, end: start - 1 });
    next = Math.max(next, end + 1);
  }
  if (next <= whole.end) gaps.push({ start: next, end: whole.end });
  return gaps;
}

/** By ascending start. A thousand nodes start at few layers: what is sorted is those alone. */
function furthestEnds(spans: readonly LayerSpan[]): [start: number, end: number][] {
  const ends = new Map<number, number>();
  for (const { start, end } of spans) {
    const known = ends.get(start);
    if (known === undefined || end > known) ends.set(start, end);
  }
  return [...ends].sort(([a], [b]) => a - b);
}
