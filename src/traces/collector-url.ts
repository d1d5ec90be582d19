import type { TracesSettings } from '../settings/index.js';

const TRACES_PATH = 'v1/traces';

/** Where spans are sent; null: nothing is traced. Source: OpenTelemetry, "OTLP exporter", "Endpoint URLs for OTLP/HTTP". */
export function collectorUrl({ endpoint, tracesEndpoint }: Readonly<TracesSettings>): string | null {
  if (tracesEndpoint !== null) return tracesEndpoint;
  return endpoint === null ? null : `${endpoint.replace(/\/$/, '')}/${TRACES_PATH}`;
}
