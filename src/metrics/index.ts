/**
 * metrics: `GET /metrics`, for Prometheus.
 *
 * What happened is counted as the bus tells it (calls, attempts, tokens, samples, epochs, breakers); what stands is read off
 * the other rooms' services at each scrape and kept nowhere, so a route or node that has gone is gone from the next answer.
 * The number of series is bounded whatever clients and nodes send: `model` is a known model's name, for at most 200 of
 * them, else `other`; routes and nodes have limits of their own; a forgotten model's series go with it. prom-client keeps
 * counts and writes the text, in one registry a scrape: its default registry is one for the whole process, and its
 * default metrics leave observers behind. All names: docs/operations.md.
 */
export { MetricsModule } from './metrics.module.js';
