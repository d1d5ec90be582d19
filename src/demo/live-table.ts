import type { Cancel, Clock } from '../kernel/clock.js';
import { renderRoutes, type RoutingTable } from './routing-table.js';
import type { Screen } from './screen.js';
import type { TrafficCounts } from './traffic.js';

const POLL_MS = 1_000;
const POLL_TIMEOUT_MS = 5_000;

/** The tracker's `GET /v1/routing`, now. */
export async function fetchRoutes(tracker: string): Promise<RoutingTable> {
  const answer = await fetch(`${tracker}/v1/routing`, { signal: AbortSignal.timeout(POLL_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`GET /v1/routing answered ${String(answer.status)}`);
  return (await answer.json()) as RoutingTable;
}

/** Draws what the tracker has learned, each second anew. */
export class LiveTable {
  private cancel: Cancel = () => undefined;
  private ended = false;

  constructor(
    private readonly tracker: string,
    private readonly counts: () => TrafficCounts | null,
    private readonly screen: Screen,
    private readonly clock: Clock,
  ) {}

  start(): void {
    void this.look();
  }

  end(): void {
    this.ended = true;
    this.cancel();
  }

  private async look(): Promise<void> {
    const lines = await fetchRoutes(this.tracker).then(renderRoutes, (fault: unknown) => [String(fault)]);
    if (this.ended) return;
    this.screen.show(['', ...lines, '', ...this.countLines()]);
    this.cancel = this.clock.after(POLL_MS, () => void this.look());
  }

  private countLines(): string[] {
    const counts = this.counts();
    if (counts === null) return [];
    const { done, open, failed } = counts;
    return [`chats: ${String(done)} answered, ${String(open)} under way, ${String(failed)} failed`];
  }
}
