import { readdirSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { CLOCK, type Clock } from '../kernel/index.js';
import { packageVersion } from '../settings/index.js';
import { gauge } from './gauge.js';
import type { MetricSource } from './metric-source.js';
import { showReadout } from './readout.js';

const OPEN_FILES = '/proc/self/fd';

/** The process itself, under the names that every Prometheus client uses. */
@Injectable()
export class ProcessMetrics implements MetricSource {
  private readonly version = packageVersion();
  private readonly startedAtSeconds: number;

  constructor(@Inject(CLOCK) clock: Clock) {
    this.startedAtSeconds = clock.wallMs() / 1000 - process.uptime();
  }

  show(registry: Registry): void {
    const build = 'Always 1; the version of the tracker is in the label.';
    gauge(registry, 'meshnet_build_info', build, ['version']).set({ version: this.version }, 1);
    const node = 'Always 1; the version of Node.js is in the label.';
    gauge(registry, 'nodejs_version_info', node, ['version']).set({ version: process.version }, 1);
    const start = 'Start time of the process since unix epoch in seconds.';
    gauge(registry, 'process_start_time_seconds', start).set(this.startedAtSeconds);
    showProcessor(registry);
    showMemory(registry);
    showOpenFiles(registry);
  }
}

function showProcessor(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers: [registry],
  }).inc((user + system) / 1e6);
}

function showMemory(registry: Registry): void {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  gauge(registry, 'process_resident_memory_bytes', 'Resident memory size in bytes.').set(rss);
  gauge(registry, 'nodejs_heap_size_used_bytes', 'Heap in use in bytes.').set(heapUsed);
  gauge(registry, 'nodejs_heap_size_total_bytes', 'Heap size in bytes.').set(heapTotal);
  gauge(registry, 'nodejs_external_memory_bytes', 'Memory outside the heap, as of buffers, in bytes.').set(
    external,
  );
}

function showOpenFiles(registry: Registry): void {
  const help = 'Number of open file descriptors; Linux alone tells.';
  const values = openFiles().map((value) => ({ labels: {}, value }));
  showReadout(registry, { name: 'process_open_fds', help, type: 'gauge', values });
}

/** How many, or nothing where nobody tells. */
function openFiles(): number[] {
  try {
    // Without the one that reading the list takes.
    return [readdirSync(OPEN_FILES).length - 1];
  } catch {
    return [];
  }
}
