import { callsApi } from '../calls/calls.openapi.js';
import { chatApi } from '../chat-proxy/chat.openapi.js';
import { modelsApi } from '../chat-proxy/models.openapi.js';
import { dashboardApi } from '../dashboard/dashboard.openapi.js';
import { historyApi } from '../history/history.openapi.js';
import { metricsApi } from '../metrics/metrics.openapi.js';
import { leasesApi } from '../nodes-api/leases.openapi.js';
import { nodesApi } from '../nodes-api/nodes.openapi.js';
import type { ApiPart } from '../openapi/index.js';
import { probesApi } from '../probes/probes.openapi.js';
import { replayApi } from '../replay/replay.openapi.js';
import { routingApi } from '../routing/routing.openapi.js';
import { docsApi } from './docs.openapi.js';

/** What each room tells of its operations, in the order in which people look for them. */
export const API_PARTS: readonly ApiPart[] = [
  chatApi,
  modelsApi,
  routingApi,
  nodesApi,
  leasesApi,
  callsApi,
  historyApi,
  replayApi,
  metricsApi,
  probesApi,
  dashboardApi,
  docsApi,
];
