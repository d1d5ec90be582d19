import { adminKey, keyHeaders, keyRefused } from '../state/admin-key.js';
import type { ErrorAnswer } from './types.js';

/** The tracker's own refusal, in its own words. */
export class TrackerRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** Nobody answered, or not in a way that a tracker does. */
export class TrackerGone extends Error {}

/** A tracker that takes longer than this counts as gone. */
const PATIENCE_MS = 10_000;

/**
 * Where an API path is, seen from the page. The page is at `<somewhere>/dashboard`, so that everything works behind a
 * proxy that adds a prefix, too.
 */
export function trackerUrl(path: string): string {
  return new URL(path.replace(/^\//, ''), document.baseURI).href;
}

/**
 * One request to the tracker, its answer as JSON (null for 204).
 *
 * @param key to send; what the tab keeps, unless another is to be tried
 * @throws TrackerRefusal | TrackerGone
 */
export async function ask<T>(
  path: string,
  init: RequestInit = {},
  key: string | null = adminKey.peek(),
): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
  let answer: Response;
  try {
    const headers = { ...keyHeaders(key), ...(init.headers as Record<string, string> | undefined) };
    answer = await fetch(trackerUrl(path), { cache: 'no-store', ...init, headers, signal });
  } catch (fault) {
    throw new TrackerGone(fault instanceof Error ? fault.message : String(fault));
  }
  if (!answer.ok) {
    const refusal = await refusalOf(answer);
    if (refusal instanceof TrackerRefusal && refusal.status === 401) keyRefused(key);
    throw refusal;
  }
  if (answer.status === 204) return null as T;
  const value: unknown = await answer.json().catch(() => null);
  if (!isTrackers(value)) throw new TrackerGone('What answers is no tracker.');
  return value as T;
}

/** Whatever the tracker answers holds a list, or names a call or a node; a login page's JSON doesn't. */
export function isTrackers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const answer = value as Readonly<Record<string, unknown>>;
  return (
    ['data', 'models', 'routes'].some((name) => Array.isArray(answer[name])) ||
    ['request_id', 'node_id'].some((name) => typeof answer[name] === 'string')
  );
}

/** What a refusal says; also of proxies in between, which speak no JSON. */
export async function refusalOf(answer: Response): Promise<TrackerRefusal | TrackerGone> {
  try {
    const { error } = (await answer.json()) as ErrorAnswer;
    const { code, message } = error as Partial<ErrorAnswer['error']>;
    if (typeof message !== 'string') throw new TypeError('no words of a tracker');
    return new TrackerRefusal(answer.status, code ?? null, message);
  } catch {
    return new TrackerGone(`The answer was ${String(answer.status)}.`);
  }
}
