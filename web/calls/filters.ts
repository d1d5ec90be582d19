import type { CallOutcome, CallRecord, RouteMode } from '../api/types.js';

/** What calls are shown. An empty text stands for all. */
export interface CallFilters {
  readonly model: string;
  /** `none`: calls that wait for their first route. */
  readonly mode: RouteMode | 'none' | '';
  readonly outcome: CallOutcome | 'open' | '';
  /** Part of the request id or of a route that was tried. */
  readonly text: string;
}

export const ALL_CALLS: CallFilters = { model: '', mode: '', outcome: '', text: '' };

export function isFiltering(filters: CallFilters): boolean {
  return Object.values(filters).some((value: string) => value.trim() !== '');
}

export function filtered(calls: readonly CallRecord[], filters: CallFilters): readonly CallRecord[] {
  if (!isFiltering(filters)) return calls;
  const text = filters.text.trim().toLowerCase();
  return calls.filter(
    (call) =>
      (filters.model === '' || call.model === filters.model) &&
      (filters.mode === '' || (call.routing?.mode ?? 'none') === filters.mode) &&
      (filters.outcome === '' || (call.outcome ?? 'open') === filters.outcome) &&
      (text === '' || searchable(call).includes(text)),
  );
}

function searchable({ request_id, model, attempts }: CallRecord): string {
  const routes = attempts.map(({ signature }) => signature);
  return [request_id, model, ...routes].join('\n').toLowerCase();
}

/** Models to choose from: those that were called, and the chosen one even when it no longer is. */
export function modelsOf(calls: readonly CallRecord[], chosen: string): string[] {
  const models = new Set(calls.map(({ model }) => model));
  if (chosen !== '') models.add(chosen);
  return [...models].sort();
}
