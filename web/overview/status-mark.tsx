import type { RouteStatus } from '../api/types.js';

/** A shape for each status, so that nobody has to tell colours apart. */
const SHAPES: Record<RouteStatus, preact.JSX.Element> = {
  proven: (
    <path
      d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm-1 9.6L3.9 8l1.2-1.2L7 8.7l4-4 1.2 1.2Z"
      fill="currentColor"
    />
  ),
  unsampled: (
    <circle
      cx="8"
      cy="8"
      r="5.5"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-dasharray="2.6 1.72"
    />
  ),
  stale: <path d="M8 1.8 14.2 8 8 14.2 1.8 8Z" fill="none" stroke="currentColor" stroke-width="2" />,
  decayed: (
    <path d="M2 4h12l-6 9Z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" />
  ),
};

export function StatusMark({ status }: { status: RouteStatus }) {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[status]}
    </svg>
  );
}
