import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { MetricSource } from './metric-source.js';
import { showReadout, type ReadoutLine } from './readout.js';

const NAME = 'meshnet_event_loop_lag_seconds';
const HELP =
  'How late the event loop was for a timer of 20 ms, in seconds; the quantiles are of the time since the last scrape.';
const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** How late the event loop is: above some milliseconds every chat through here is slowed down. */
@Injectable()
export class EventLoopLag implements MetricSource, OnModuleDestroy {
  private readonly delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private count = 0;
  private sumSeconds = 0;

  constructor() {
    this.delays.enable();
  }

  onModuleDestroy(): void {
    this.delays.disable();
  }

  show(registry: Registry): void {
    const values = [
      ...this.sinceLastScrape(),
      { metricName: `${NAME}_sum`, labels: {}, value: this.sumSeconds },
      { metricName: `${NAME}_count`, labels: {}, value: this.count },
    ];
    showReadout(registry, { name: NAME, help: HELP, type: 'summary', values });
  }

  /** The quantiles; sum and count go on. Before anything was measured, Node's quantiles are no numbers of anything. */
  private sinceLastScrape(): ReadoutLine[] {
    const { delays } = this;
    if (delays.count === 0) return [];
    const quantiles = QUANTILES.map((quantile) => ({
      labels: { quantile },
      value: lagSeconds(delays.percentile(quantile * 100)),
    }));
    this.sumSeconds += lagSeconds(delays.mean) * delays.count;
    this.count += delays.count;
    delays.reset();
    return quantiles;
  }
}

/** What Node measures is the whole time from one run of its timer to the next. */
function lagSeconds(delayNs: number): number {
  return Math.max(0, delayNs / 1e9 - RESOLUTION_MS / 1000);
}
