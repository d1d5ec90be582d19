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
  for (const span of [...covered].sort((a, b) => a.start - b.start)) {
    if (span.start > whole.end) break;
    if (span.start > next) gaps.push({ start: next, end: span.start - 1 });
    next = Math.max(next, span.end + 1);
  }
  if (next <= whole.end) gaps.push({ start: next, end: whole.end });
  return gaps;
}
