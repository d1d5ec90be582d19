import { EventsService } from '../../src/calls/index.js';
import { EventBus } from '../../src/kernel/index.js';
import { ReadinessService } from '../../src/probes/index.js';
import { ASSET, MESH_MODEL, type ApiCase, type ApiCases, type ApiWorld } from './api-world.js';
import { chatCases } from './chat-cases.js';
import { eventually } from './eventually.js';
import { open, send, type Reply } from './http-client.js';
import type { StagedTracker } from './stage.js';

const MODEL = encodeURIComponent(MESH_MODEL);
/** Percent signs that encode nothing. */
const BAD = '%E0%A4%A';
const TWICE = '?model=a&model=b';

const get =
  (path: string): ApiCase =>
  async (world) =>
    (await world.mesh()).api.get(path);

const ask =
  (method: string, path: string, body?: string | object): ApiCase =>
  async (world) =>
    (await world.mesh()).api.ask(method, path, body);

/** A node that no other case knows. */
function aNode(wallet: string, more: object = {}): object {
  return { wallet, endpoint: `http://${wallet}.test:1`, model: `model-of-${wallet}`, ...more };
}

/** A body that Nest's parser refuses. */
function bodyCases(method: string, path: string): ApiCases {
  const sent =
    (headers: Readonly<Record<string, string>>, body: string): ApiCase =>
    async (world) =>
      send((await world.mesh()).url + path, { method, headers, body });
  return {
    '400 invalid_request by its body': sent({}, '{'),
    '413 request_too_large': sent({}, JSON.stringify({ name: 'x'.repeat(1_100_000) })),
    '415 invalid_request': sent({ 'content-encoding': 'compress' }, '{}'),
  };
}

/** Two models with one node id, and what an operator asks of it. */
function operatorCases(method: string, wallet: string, action: string, status: string): ApiCases {
  const path = `/v1/nodes/${wallet}:all${action}`;
  const registered = async (world: ApiWorld, ...models: string[]): Promise<StagedTracker> => {
    const tracker = await world.mesh();
    for (const model of models) await tracker.api.register(aNode(wallet, { model }));
    return tracker;
  };
  const asked =
    (query: string, ...models: string[]): ApiCase =>
    async (world) =>
      (await registered(world, ...models)).api.ask(method, path + query);
  return {
    [status]: asked('', `${wallet}-1`),
    [`${status} of one model`]: asked(`?model=${wallet}-2`, `${wallet}-1`, `${wallet}-2`),
    '409 conflict': asked('', `${wallet}-1`, `${wallet}-2`),
    '400 invalid_request by its query': asked(TWICE),
    '400 invalid_request by its path': ask(method, `/v1/nodes/${BAD}${action}`),
  };
}

/** After a chat under a policy that predicts. */
function predicted(path: string): ApiCase {
  return async (world) => {
    const env = { MESHNET_ROUTE_POLICY: 'least-expected-delay' };
    const { api } = await world.trackerWith(await world.head(), env);
    await api.chat({ model: MESH_MODEL }, { headers: { 'x-request-id': 'predicted' } });
    return api.get(path);
  };
}

async function events(world: ApiWorld): Promise<Reply> {
  const tracker = await world.trackerWith(await world.head());
  const watching = await open(`${tracker.url}/v1/events`, {});
  await watching.until('watching');
  await tracker.api.chat({ model: MESH_MODEL });
  await tracker.api.ask('DELETE', '/v1/nodes/w:all');
  await tracker.api.register(aNode('late'));
  await watching.until('late:all","cause":"registered"');
  const bus = tracker.app.get(EventBus);
  const change = { node_id: 'late:all', from: 'closed', to: 'open', at: 0 };
  bus.publish('breaker.changed', { model: 'model-of-late', ...change });
  bus.publish('node.resting', { model: 'model-of-late', node_id: 'late:all', seconds: 60, at: 0 });
  bus.publish('nodes_file.read', { entries: 2, at: 0 });
  bus.publish('nodes_file.refused', { faults: 1, at: 0 });
  tracker.app.get(EventsService).endAll();
  return watching.rest();
}

async function crowdedEvents(world: ApiWorld): Promise<Reply> {
  const tracker = await world.tracker();
  const watchers = await Promise.all(Array.from({ length: 256 }, () => open(`${tracker.url}/v1/events`, {})));
  const reply = await tracker.api.get('/v1/events');
  for (const watcher of watchers) watcher.leave();
  return reply;
}

async function aCall(world: ApiWorld): Promise<Reply> {
  const { api } = await world.mesh();
  await api.chat({ model: MESH_MODEL, messages: [] }, { headers: { 'x-request-id': 'told' } });
  return api.get('/v1/calls/told');
}

/** Calls in every state: completed, failed over, waiting, given up. */
async function manyCalls(world: ApiWorld): Promise<Reply> {
  const head = await world.head((response, { body }) => {
    if (!body.includes('hang')) response.writeHead(500).end('{}');
  });
  const tracker = await world.trackerWith(head, {}, { max_concurrent: 1 });
  await tracker.api.chat({ model: MESH_MODEL, stream: true });
  await tracker.api.register({ wallet: 'good', endpoint: (await world.head()).url, model: MESH_MODEL });
  await tracker.api.chat({ model: MESH_MODEL });
  await tracker.api.ask('DELETE', '/v1/nodes/good:all');
  for (const user of ['hang', 'hang too']) tracker.api.startChat({ model: MESH_MODEL, user });
  return eventually(async () => {
    const reply = await tracker.api.get('/v1/calls');
    if (!reply.text.includes('"phase":"prefill"') || !reply.text.includes('"phase":"queued"')) {
      throw new Error(`they should be open: ${reply.text}`);
    }
    return reply;
  });
}

/** A timeline with all that stands in one: an epoch, a breaker, a rest, reads of the nodes file. */
async function changes(world: ApiWorld): Promise<Reply> {
  const tracker = await world.trackerWith(await world.refusingUrl());
  await tracker.api.register({ wallet: 'good', endpoint: (await world.head()).url, model: MESH_MODEL });
  for (let times = 0; times < 3; times += 1) {
    await tracker.api.chat({ model: MESH_MODEL, route: ['w:all'] });
  }
  const bus = tracker.app.get(EventBus);
  bus.publish('node.resting', { model: MESH_MODEL, node_id: 'w:all', seconds: 60, at: 0 });
  bus.publish('nodes_file.read', { entries: 2, at: 0 });
  bus.publish('nodes_file.refused', { faults: 1, at: 0 });
  return tracker.api.get('/v1/timeline');
}

/** A replay over a hundred calls, of a setting that they can or can't tell of. */
function aReplay(query: string): ApiCase {
  return async (world) => {
    const tracker = await world.trackerWith(await world.head(), { MESHNET_ROUTE_EXPLORE_SHARE: '0' });
    await tracker.api.register({ wallet: 'v', endpoint: (await world.head()).url, model: MESH_MODEL });
    for (let times = 0; times < 101; times += 1) await tracker.api.chat({ model: MESH_MODEL });
    return tracker.api.get(`/v1/routing/replay?model=${MODEL}${query}`);
  };
}

/** At least one call for each documented answer of each documented operation. */
export const API_CASES: Readonly<Record<string, ApiCases>> = {
  createChatCompletion: chatCases('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'Which way is the fastest?' }],
  }),
  createCompletion: chatCases('/v1/completions', { prompt: 'The fastest way is' }),
  listModels: { '200': get('/v1/models') },
  getModel: {
    '200': get(`/v1/models/${MESH_MODEL}`),
    '200 encoded': get(`/v1/models/${MODEL}`),
    '400 invalid_request': get(`/v1/models/${BAD}`),
    '404 model_not_found': get('/v1/models/nobody-serves-this'),
  },
  getRouting: {
    '200': get('/v1/routing'),
    '200 of one model': get(`/v1/routing?model=${MODEL}`),
    '200 with predictions': predicted('/v1/routing'),
    '200 with gaps': async (world) => {
      const { api } = await world.mesh();
      await api.register(aNode('gap', { num_layers: 9, shard_start: 3, shard_end: 4 }));
      return api.get('/v1/routing?model=model-of-gap');
    },
    '400 invalid_request': get(`/v1/routing${TWICE}`),
    '404 model_not_found': get('/v1/routing?model=nobody-serves-this'),
  },
  registerNode: {
    '201': ask('POST', '/v1/nodes', aNode('new', { throughput_tps: 1.5, name: null })),
    '200': async (world) => {
      await ask('POST', '/v1/nodes', aNode('again'))(world);
      return ask('POST', '/v1/nodes', aNode('again'))(world);
    },
    '400 invalid_request': ask('POST', '/v1/nodes', aNode('bad', { shard_start: 1 })),
    '403 wallet_proof_required': async (world) =>
      (await world.tracker({ MESHNET_REQUIRE_WALLET_PROOF: 'true' })).api.ask(
        'POST',
        '/v1/nodes',
        aNode('w'),
      ),
    '403 wallet_proof_invalid': ask(
      'POST',
      '/v1/nodes',
      aNode('w', { proof: { time_ms: 0, nonce: 'a'.repeat(16), signature: `${'A'.repeat(86)}==` } }),
    ),
    '409 conflict': ask('POST', '/v1/nodes', aNode('other', { model: MESH_MODEL, num_layers: 5 })),
    '429 rate_limit_exceeded': async (world) => {
      const { api } = await world.tracker({ MESHNET_REQUIRE_WALLET_PROOF: 'true' });
      return eventually(async () => {
        const reply = await api.ask('POST', '/v1/nodes', aNode('w'));
        if (reply.status !== 429) throw new Error('it may go on');
        return reply;
      });
    },
    ...bodyCases('POST', '/v1/nodes'),
  },
  listNodes: {
    '200': get('/v1/nodes'),
    '200 of one model': get(`/v1/nodes?model=${MODEL}`),
    '200 with learned speeds': predicted('/v1/nodes'),
    '400 invalid_request': get(`/v1/nodes${TWICE}`),
  },
  drainNode: {
    ...operatorCases('POST', 'drained', '/drain', '200'),
    '404 node_not_found': ask('POST', '/v1/nodes/nobody:all/drain'),
  },
  resumeNode: {
    ...operatorCases('POST', 'resumed', '/resume', '200'),
    '404 node_not_found': ask('POST', '/v1/nodes/nobody:all/resume'),
  },
  deleteNode: operatorCases('DELETE', 'ended', '', '204'),
  heartbeat: {
    '200': async (world) => {
      const { api } = await world.mesh();
      const { lease_id } = await api.register(aNode('beating'));
      return api.ask('PUT', `/v1/leases/${lease_id}`, { queue_depth: 2, status: 'draining' });
    },
    '400 invalid_request': ask('PUT', '/v1/leases/x', { status: 'gone' }),
    '400 invalid_request by its path': ask('PUT', `/v1/leases/${BAD}`, {}),
    '404 lease_unknown': ask('PUT', '/v1/leases/nobodys', {}),
    ...bodyCases('PUT', '/v1/leases/x'),
  },
  deregisterNode: {
    '204': async (world) => {
      const { api } = await world.mesh();
      const { lease_id } = await api.register(aNode('leaving'));
      return api.ask('DELETE', `/v1/leases/${lease_id}`);
    },
    '400 invalid_request': ask('DELETE', `/v1/leases/${BAD}`),
  },
  listCalls: {
    '200': manyCalls,
    '200 open': get(`/v1/calls?open=true&limit=1&model=${MODEL}`),
    '400 invalid_request': get('/v1/calls?limit=0'),
    '400 invalid_request by its model': get(`/v1/calls${TWICE}`),
  },
  getCall: {
    '200': aCall,
    '200 with predictions': predicted('/v1/calls/predicted'),
    '400 invalid_request': get(`/v1/calls/${BAD}`),
    '404 call_not_found': get('/v1/calls/nobodys'),
  },
  watchEvents: {
    '200': events,
    '503 overloaded': crowdedEvents,
    '503 shutting_down': async (world) => {
      const tracker = await world.tracker();
      tracker.app.get(EventsService).endAll();
      return tracker.api.get('/v1/events');
    },
  },
  headEvents: { '200': ask('HEAD', '/v1/events') },
  getRoutingHistory: {
    '200': async (world) => {
      const { api } = await world.mesh();
      await api.chat({ model: MESH_MODEL, messages: [], max_tokens: 20 });
      return api.get(`/v1/routing/history?model=${MODEL}`);
    },
    '200 of one route': get(`/v1/routing/history?model=${MODEL}&signature=nobodys`),
    '400 invalid_request': get('/v1/routing/history'),
    '400 invalid_request by its model': get(`/v1/routing/history${TWICE}`),
    '404 model_not_found': get('/v1/routing/history?model=nobody-serves-this'),
  },
  replayRouting: {
    '200 that can tell': aReplay('&weight_alpha=2&window=3600'),
    '200 that cannot tell': aReplay('&policy=proportional&explore_share=0.3'),
    '400 invalid_request': get('/v1/routing/replay'),
    '400 invalid_request by its policy': get(`/v1/routing/replay?model=${MODEL}&policy=fastest`),
    '404 model_not_found': get('/v1/routing/replay?model=nobody-serves-this'),
    '422 too_few_calls': get(`/v1/routing/replay?model=${MODEL}`),
  },
  getRoutingEarnings: {
    '200': async (world) => {
      const { api } = await world.mesh();
      await api.chat({ model: MESH_MODEL, messages: [], max_tokens: 20 });
      return api.get('/v1/routing/earnings');
    },
    '200 of one model': get(`/v1/routing/earnings?model=${MODEL}`),
    '400 invalid_request': get(`/v1/routing/earnings${TWICE}`),
    '404 model_not_found': get('/v1/routing/earnings?model=nobody-serves-this'),
  },
  listIncidents: {
    '200': async (world) => {
      const tracker = await world.trackerWith(await world.refusingUrl());
      await tracker.api.chat({ model: MESH_MODEL });
      return tracker.api.get('/v1/incidents');
    },
    '200 of one model': get(`/v1/incidents?model=${MODEL}`),
    '400 invalid_request': get(`/v1/incidents${TWICE}`),
    '404 model_not_found': get('/v1/incidents?model=nobody-serves-this'),
  },
  listTimeline: {
    '200': changes,
    '200 of one model': get(`/v1/timeline?limit=1000&model=${MODEL}`),
    '400 invalid_request': get('/v1/timeline?limit=1001'),
    '400 invalid_request by its model': get(`/v1/timeline${TWICE}`),
  },
  getMetrics: { '200': get('/metrics') },
  getHealth: { '200': get('/healthz') },
  getReadiness: {
    '200': get('/readyz'),
    '503': async (world) => {
      const tracker = await world.tracker();
      tracker.app.get(ReadinessService).draining();
      return tracker.api.get('/readyz');
    },
  },
  getRoot: { '302': get('/') },
  getDashboard: {
    '200': get('/dashboard'),
    '404 not_found': async (world) => (await world.tracker()).api.get('/dashboard'),
  },
  getDashboardAsset: {
    '200': get(`/dashboard/assets/${ASSET}`),
    '404 not_found': get('/dashboard/assets/nothing.js'),
  },
  getOpenApi: { '200': get('/openapi.json') },
  getDocs: { '200': get('/docs'), '200 with a slash': get('/docs/') },
  getDocsFile: {
    '200': get('/docs/swagger-ui.css'),
    '200 that is made': get('/docs/swagger-ui-init.js'),
    '200 icon': get('/docs/favicon-16x16.png'),
    '404 not_found': get('/docs/package.json'),
  },
};
