import type { ModelRouting } from '../api/types.js';

export interface ModelChoice {
  readonly id: string;
  readonly hasRoute: boolean;
}

/**
 * @param listed ids that `GET /v1/models` names
 * @param table what the routing table says; undefined until it came
 */
export function modelChoicesOf(
  listed: readonly string[],
  table: readonly Pick<ModelRouting, 'model' | 'candidates'>[] | undefined,
): ModelChoice[] {
  if (table === undefined) return listed.map((id) => ({ id, hasRoute: true }));
  const known = table.map(({ model, candidates }) => ({ id: model, hasRoute: candidates.length > 0 }));
  const ids = new Set(known.map(({ id }) => id));
  const gone = listed.filter((id) => !ids.has(id)).map((id) => ({ id, hasRoute: false }));
  return [...known, ...gone];
}
