import type { MeshEvents } from '../kernel/index.js';

type Told<T extends keyof MeshEvents> = { readonly type: T } & Readonly<MeshEvents[T]>;

/** One row of `GET /v1/timeline`. `at` is Unix time in milliseconds. */
export type TimelineEntry =
  | Told<'epoch.bumped'>
  | Told<'breaker.changed'>
  | Told<'node.resting'>
  | Told<'nodes_file.read'>
  | Told<'nodes_file.refused'>;

const KEPT_ENTRIES = 1000;

/** The newest thousand changes of the mesh. */
export class Timeline {
  private readonly entries: TimelineEntry[] = [];

  add(entry: TimelineEntry): void {
    this.entries.push(entry);
    if (this.entries.length > KEPT_ENTRIES) this.entries.shift();
  }

  /** Newest first, at most so many. What concerns no model in particular concerns each. */
  newest(model: string | null, limit: number): TimelineEntry[] {
    return this.entries
      .filter((entry) => model === null || !('model' in entry) || entry.model === model)
      .slice(-limit)
      .reverse();
  }
}
