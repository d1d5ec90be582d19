import { callsApi } from '../calls/index.js';
import { chatApi, modelsApi } from '../chat-proxy/index.js';
import { dashboardApi } from '../dashboard/index.js';
import { historyApi } from '../history/index.js';
import { leasesApi, nodesApi } from '../nodes-api/index.js';
import { metricsApi } from '../metrics/index.js';
import type { ApiPart } from '../openapi/index.js';
import { probesApi } from '../probes/index.js';
import { replayApi } from '../replay/index.js';
import { routingApi } from '../routing/index.js';
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
