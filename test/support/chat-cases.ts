import { ChatLane } from '../../src/chat-proxy/index.js';
import type { ChatPath } from '../../src/http/chat-paths.js';
import type { HostLookup } from '../../src/kernel/index.js';
import type { ApiWorld } from './api-world.js';
import { MESH_MODEL, type ApiCases } from './api-world.js';
import { eventually } from './eventually.js';
import type { HeadAnswering } from './fake-head.js';
import type { Reply } from './http-client.js';
import { sendJson, SSE_HEADERS, textChunk } from './openai-answers.js';
import type { StagedTracker } from './stage.js';

const SAID = { 'x-request-id': 'case/1' };
const HANGS: HeadAnswering = () => undefined;

/** What a chat may end in, one by one, on either of its two paths. */
export function chatCases(path: ChatPath, asks: object): ApiCases {
  const chat = (
    tracker: StagedTracker,
    more: object = {},
    headers: Readonly<Record<string, string>> = SAID,
  ): Promise<Reply> => tracker.api.chat({ model: MESH_MODEL, ...asks, ...more }, { path, headers });
  const answeredWith =
    (answering: HeadAnswering, more: object = {}) =>
    async (world: ApiWorld): Promise<Reply> =>
      chat(await world.trackerWith(await world.head(answering)), more);
  /** With its only slot taken. */
  const busy = async (world: ApiWorld, env: Readonly<Record<string, string>>): Promise<StagedTracker> => {
    const head = await world.head(HANGS);
    const tracker = await world.trackerWith(head, env, { max_concurrent: 1 });
    tracker.api.startChat({ model: MESH_MODEL, ...asks }, { path });
    await eventually(() => {
      if (head.chats.length === 0) throw new Error('the first chat has not come');
    });
    return tracker;
  };
  return {
    '200': async (world) => chat(await world.mesh()),
    '200 streamed': async (world) => chat(await world.mesh(), { stream: true }),
    '200 streamed with usage': async (world) =>
      chat(await world.mesh(), { stream: true, stream_options: { include_usage: true } }),
    '200 pinned': async (world) => chat(await world.mesh(), { route: ['w.gpu:0-1', 'w.cpu:0-3'] }),
    '200 that breaks off': answeredWith(
      (response) => response.writeHead(200, SSE_HEADERS).end(textChunk('x')),
      { stream: true },
    ),
    '400 invalid_request': async (world) => chat(await world.mesh(), { route: ['nobody'] }),
    '404 model_not_found': async (world) => chat(await world.mesh(), { model: 'nobody-serves-this' }),
    '413 request_too_large': async (world) =>
      chat(await world.tracker({ MESHNET_MAX_BODY_BYTES: '1024' }), { user: 'x'.repeat(2000) }),
    '415 unsupported_media_type': async (world) =>
      chat(await world.mesh(), {}, { 'content-encoding': 'gzip' }),
    '429 queue_full': async (world) => chat(await busy(world, { MESHNET_QUEUE_LENGTH: '0' })),
    '429 queue_timeout': async (world) => chat(await busy(world, { MESHNET_QUEUE_SECONDS: '0.05' })),
    '429 nodes_resting': async (world) => {
      const asksForRest: HeadAnswering = (response) =>
        sendJson(response.setHeader('retry-after', '90'), 429, {});
      const tracker = await world.trackerWith(await world.head(asksForRest));
      await chat(tracker);
      return chat(tracker);
    },
    '429 rate_limit_exceeded': async (world) => {
      const tracker = await world.trackerWith(await world.head(), { MESHNET_KEY_REQUESTS_PER_MINUTE: '1' });
      await chat(tracker);
      return chat(tracker);
    },
    '429 rate_limit_exceeded by those under way': async (world) =>
      chat(await busy(world, { MESHNET_KEY_CONCURRENT_CALLS: '1' })),
    '502 node_unreachable': async (world) => chat(await world.trackerWith(await world.refusingUrl())),
    '502 endpoint_refused': async (world) => {
      const lookup: HostLookup = (_name, _options, found) =>
        found(null, [{ address: '169.254.169.254', family: 4 }]);
      const tracker = await world.tracker({}, { lookup });
      await tracker.api.register({ wallet: 'w', endpoint: 'http://gpu.test:1', model: MESH_MODEL });
      return chat(tracker);
    },
    '502 node_failed': async (world) =>
      chat(await world.trackerWith(await world.rawHead((socket) => socket.destroy()))),
    '502 node_misconfigured': answeredWith((response) => sendJson(response, 401, {})),
    '502 answer_cut_off': answeredWith(
      (response) => response.writeHead(200, SSE_HEADERS).end(': nothing\n\n'),
      {
        stream: true,
      },
    ),
    '503 no_route': async (world) => {
      const tracker = await world.trackerWith('http://127.0.0.1:9');
      await tracker.api.ask('DELETE', '/v1/nodes/w:all');
      return chat(tracker);
    },
    '503 overloaded': async (world) => chat(await busy(world, { MESHNET_MAX_IN_FLIGHT: '1' })),
    '503 shutting_down': async (world) => {
      const tracker = await world.tracker();
      tracker.app.get(ChatLane).close();
      return chat(tracker);
    },
    '504 node_timeout': async (world) =>
      chat(await world.trackerWith(await world.head(HANGS), { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.05' })),
    '508 loop_detected': async (world) => {
      const tracker = await world.tracker();
      await tracker.api.register({ wallet: 'w', endpoint: tracker.url, model: MESH_MODEL });
      return chat(tracker);
    },
    '4XX': answeredWith((response) => sendJson(response, 422, { detail: 'no' })),
    '5XX': answeredWith((response) => sendJson(response, 500, { error: { message: 'no' } })),
  };
}
