import { textAnswer, type ApiPart } from '../openapi/index.js';

const EXAMPLE = `# HELP meshnet_queued Chats that wait in the queue.
# TYPE meshnet_queued gauge
meshnet_queued 0
`;

export const metricsApi: ApiPart = {
  tag: { name: 'Metrics', description: 'For Prometheus.' },
  paths: {
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        summary: 'Counters, gauges and histograms',
        description:
          'Prometheus’ text format. The number of series is bounded, whatever clients and nodes send. All names: docs/operations.md.',
        caller: 'reader',
        responses: { 200: textAnswer('text/plain', 'The metrics.', [EXAMPLE]) },
      },
    },
  },
};
