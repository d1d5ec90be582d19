import type { Candidate, ModelRouting } from '../api/types.js';

/** The route that the address names, and what the newest table says of it. */
export interface OpenRoute {
  readonly model: string;
  readonly signature: string;
  /** null: the tracker no longer offers it. */
  readonly candidate: Candidate | null;
}

/**
 * A signature begins with its model and a `|`. A model's own name may hold one, too: the longest known that fits is it.
 * null when no known model does.
 */
export function openRoute(models: readonly ModelRouting[], signature: string | null): OpenRoute | null {
  if (signature === null) return null;
  const fitting = models.filter(({ model }) => signature.startsWith(`${model}|`));
  const found = fitting.sort((a, b) => b.model.length - a.model.length)[0];
  if (found === undefined) return null;
  const candidate = found.candidates.find((known) => known.signature === signature) ?? null;
  return { model: found.model, signature, candidate };
}
