import type { CandidateState } from './policy.js';
import type { Considered } from './considered.js';
import type { RouteMode } from './routing.service.js';

/** Why the choice fell on this route, by what was expected of the candidates; null where nothing was. */
export function choiceWords(
  mode: RouteMode,
  signature: string,
  { eligible }: Pick<Considered, 'eligible'>,
): string | null {
  const expected = eligible.find((state) => state.signature === signature)?.expected;
  if (expected === undefined) return null;
  const others = eligible.filter((state) => state.signature !== signature);
  const own = `expected ${seconds(expected.seconds)}`;
  const next = best(others);
  switch (mode) {
    case 'exploit':
      return next === null ? `${own}; no other candidate` : `${own}; next best ${seconds(next)}`;
    case 'scout':
      return `${own}, perhaps ${seconds(expected.optimisticSeconds ?? expected.seconds)}; best ${seconds(next ?? expected.seconds)}`;
    case 'control':
      return `${String(expected.inFlight)} under way, the fewest; ${own}, best ${seconds(best(eligible) ?? expected.seconds)}`;
    case 'pinned':
    case 'greedy-fallback':
      return own;
  }
}

function best(states: readonly CandidateState[]): number | null {
  const least = Math.min(...states.map(({ expected }) => expected?.seconds ?? Infinity));
  return Number.isFinite(least) ? least : null;
}

function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(value < 1 ? 2 : 1) : String(Math.round(value))} s`;
}
