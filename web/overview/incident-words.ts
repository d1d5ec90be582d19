import type { Incident, IncidentWindow } from '../api/types.js';
import { counted, duration, percent } from '../parts/format.js';

export type Gravity = 'bad' | 'warn' | 'well' | 'idle';

/** How a figure compares with that of an hour ago. */
export interface Change {
  readonly way: 'up' | 'down' | 'same' | 'unknown';
  readonly isWorse: boolean;
  /** "from 99.6 %", to stand behind the way's mark; empty when nothing is known of then. */
  readonly words: string;
}

export interface IncidentFigure {
  readonly name: (typeof INCIDENT_FIGURES)[number];
  readonly now: string;
  readonly change: Change;
}

export interface IncidentWords {
  readonly gravity: Gravity;
  /** What is the matter, in a few words. */
  readonly short: string;
  readonly figures: readonly IncidentFigure[];
}

/** What is compared, in the order shown. */
export const INCIDENT_FIGURES = ['Success', 'p95 first token', 'Queued'] as const;

/** Below this share of calls that succeed it is no longer the odd failure. */
const BAD_RATIO = 0.9;
/** Slower counts from here on: half as long again, and long enough to be felt. */
const SLOWER_TIMES = 1.5;
const SLOWER_MS = 250;

/** @param hasRoute whether the model can be answered at all; null while nobody knows */
export function incidentWords(incident: Incident, hasRoute: boolean | null): IncidentWords {
  const { now, hour_ago } = incident;
  return {
    gravity: gravityOf(incident, hasRoute),
    short: shortOf(incident, hasRoute),
    figures: [
      {
        name: 'Success',
        now: percent(now.success_ratio, 1),
        change: compared(now.success_ratio, hour_ago.success_ratio, 'higher', 0.0005, (ratio) =>
          percent(ratio, 1),
        ),
      },
      {
        name: 'p95 first token',
        now: duration(now.p95_ttft_ms),
        change: compared(now.p95_ttft_ms, hour_ago.p95_ttft_ms, 'lower', 10, duration),
      },
      {
        name: 'Queued',
        now: String(now.queued),
        change: compared(queuedIn(now), queuedIn(hour_ago), 'lower', 0, String),
      },
    ],
  };
}

function gravityOf({ now, hour_ago, waiting, failures }: Incident, hasRoute: boolean | null): Gravity {
  if (hasRoute === false || (now.success_ratio ?? 1) < BAD_RATIO) return 'bad';
  if (failures.length > 0 || (now.success_ratio ?? 1) < 1 || waiting > 0 || isSlower(now, hour_ago))
    return 'warn';
  return now.calls === 0 ? 'idle' : 'well';
}

function shortOf({ now, hour_ago, waiting, failures }: Incident, hasRoute: boolean | null): string {
  const failed =
    now.success_ratio === null ? 0 : Math.round(now.succeeded / now.success_ratio) - now.succeeded;
  const all = now.success_ratio === 0 ? 'no call succeeded' : null;
  const words = [
    hasRoute === false ? 'no route' : null,
    all ?? (failed > 0 ? `${String(failed)} of ${counted(now.calls, 'call')} failed` : null),
    failed === 0 && all === null && failures.length > 0 ? 'failures, but other routes took over' : null,
    waiting > 0 ? `${String(waiting)} waiting` : null,
    isSlower(now, hour_ago) ? 'slower than an hour ago' : null,
  ].filter((word) => word !== null);
  if (words.length > 0) return words.join(', ');
  if (now.calls === 0) return 'no calls';
  return `all well, ${counted(now.calls, 'call')}`;
}

function isSlower(now: IncidentWindow, then: IncidentWindow): boolean {
  if (now.p95_ttft_ms === null || then.p95_ttft_ms === null) return false;
  return (
    now.p95_ttft_ms >= then.p95_ttft_ms * SLOWER_TIMES && now.p95_ttft_ms - then.p95_ttft_ms >= SLOWER_MS
  );
}

/** In a window without calls nobody queued, but that says nothing. */
function queuedIn({ calls, queued }: IncidentWindow): number | null {
  return calls === 0 && queued === 0 ? null : queued;
}

function compared(
  now: number | null,
  then: number | null,
  better: 'higher' | 'lower',
  tolerance: number,
  write: (value: number) => string,
): Change {
  if (then === null) return { way: 'unknown', isWorse: false, words: '' };
  const words = `from ${write(then)}`;
  if (now === null) return { way: 'unknown', isWorse: false, words };
  if (Math.abs(now - then) <= tolerance) return { way: 'same', isWorse: false, words: 'as then' };
  const way = now > then ? 'up' : 'down';
  return { way, isWorse: (way === 'up') !== (better === 'higher'), words };
}

const RANK: Record<Gravity, number> = { bad: 0, warn: 1, well: 2, idle: 3 };

/** The gravest first; equals as the tracker names them. */
export function byGravity<T extends { readonly words: IncidentWords }>(lines: readonly T[]): T[] {
  return [...lines].sort((a, b) => RANK[a.words.gravity] - RANK[b.words.gravity]);
}

/** Refusals that leave no record of a call. The queue's and a queued call's do: those are on the wall. */
const TURNED_AWAY: ReadonlySet<string> = new Set(['no_route', 'overloaded', 'shutting_down']);

/** "bob.cpu:0-39 node_unreachable ×4"; where no node was to blame, the cause alone. */
export function failureText({ node_id, cause, count }: Incident['failures'][number]): string {
  if (node_id === null && TURNED_AWAY.has(cause)) {
    return `${counted(count, 'chat')} turned away: ${cause} (not on the call wall, unless queued before)`;
  }
  return `${node_id === null ? '' : `${node_id} `}${cause} ×${String(count)}`;
}

/** So many lines of trouble, and of calm models, are shown at once: what is below them must stay in reach. */
const TROUBLED_LINES = 12;
const CALM_LINES = 4;

/** The lines to show at first, of all that are sorted by gravity; one hidden line would save nothing. */
export function shownAtFirst<T extends { readonly words: IncidentWords }>(lines: readonly T[]): readonly T[] {
  const troubled = lines.filter(({ words }) => RANK[words.gravity] < RANK.well).length;
  const shown = Math.min(troubled, TROUBLED_LINES) + (troubled > TROUBLED_LINES ? 0 : CALM_LINES);
  return lines.length <= shown + 1 ? lines : lines.slice(0, shown);
}
