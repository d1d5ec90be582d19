import { OverloadedError, ShuttingDownError, type NodeMoved, type MeshEvents } from '../kernel/index.js';
import {
  EXAMPLE,
  eventStream,
  faults,
  named,
  objectOf,
  orNull,
  share,
  text,
  whole,
  type PathItem,
  type PropertiesOf,
  type SchemaWords,
} from '../openapi/index.js';
import type { CallRecord } from './call-record.js';
import { CALL } from './call-schemas.openapi.js';
import { CHANGES } from './fact-schemas.openapi.js';
import type { ShownEventType } from './events.service.js';

const { model: MODEL, node_id: NODE_ID, cause: CAUSE, at: AT } = CHANGES['epoch.bumped'];

const MOVED: PropertiesOf<NodeMoved> = {
  model: MODEL,
  node_id: NODE_ID,
  shard_start: orNull(whole('Its first layer.'), 'it serves the whole model'),
  shard_end: orNull(whole('Its last layer, inclusive.'), 'it serves the whole model'),
  cause: CAUSE,
  at: AT,
};

/** The bus knows only a part of the call that is told. */
interface CallFinished extends Omit<MeshEvents['call.finished'], 'call'> {
  readonly call: CallRecord;
}

/** What watchers are told, by the event's name. */
const EVENTS: Readonly<Record<ShownEventType, SchemaWords>> = {
  'route.selected': named(
    'RouteSelected',
    objectOf<MeshEvents['route.selected']>('A call got a route for an attempt.', {
      request_id: text('The call.'),
      model: MODEL,
      routing: objectOf<MeshEvents['route.selected']['routing']>('The decision.', {
        mode: text('Why this route.', { enum: ['scout', 'exploit', 'control', 'pinned', 'greedy-fallback'] }),
        signature: text('The route.'),
        probability: share('With which the choice fell on it.'),
      }),
      attempt: whole('The how manieth of this call.', { minimum: 1 }),
      at: AT,
    }),
  ),
  'call.finished': named(
    'CallFinished',
    objectOf<CallFinished>('A call is over.', {
      request_id: text('The call.'),
      model: MODEL,
      call: CALL,
      at: AT,
    }),
  ),
  'epoch.bumped': named(
    'EpochBumped',
    objectOf<MeshEvents['epoch.bumped']>(
      'A model’s nodes changed; its routes are built anew.',
      CHANGES['epoch.bumped'],
    ),
  ),
  'node.joined': named(
    'NodeJoined',
    objectOf<MeshEvents['node.joined']>('Chats may go there from now on.', MOVED),
  ),
  'node.left': named(
    'NodeLeft',
    objectOf<MeshEvents['node.left']>('No new chats go there from now on.', MOVED),
  ),
  'breaker.changed': named(
    'BreakerChanged',
    objectOf<MeshEvents['breaker.changed']>('A node’s circuit breaker changed.', CHANGES['breaker.changed']),
  ),
  'node.resting': named(
    'NodeResting',
    objectOf<MeshEvents['node.resting']>(
      'A node’s rest began, got longer or ended.',
      CHANGES['node.resting'],
    ),
  ),
  'nodes_file.read': named(
    'NodesFileRead',
    objectOf<MeshEvents['nodes_file.read']>('The nodes file was read.', CHANGES['nodes_file.read']),
  ),
  'nodes_file.refused': named(
    'NodesFileRefused',
    objectOf<MeshEvents['nodes_file.refused']>(
      'The nodes file has faults; what was read before stays.',
      CHANGES['nodes_file.refused'],
    ),
  ),
};

function exampleOf(call: CallRecord): string {
  const fact = { request_id: EXAMPLE.requestId, model: EXAMPLE.model, call, at: EXAMPLE.atMs };
  return `: watching\n\nid: 1\nevent: call.finished\ndata: ${JSON.stringify(fact)}\n\n`;
}

const HEADERS = {
  'cache-control': {
    description: 'Nobody may keep it.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
};

/** @param call as an example */
export function eventsItem(call: CallRecord): PathItem {
  return {
    get: {
      operationId: 'watchEvents',
      summary: 'What happens, live',
      description:
        'Server-sent events from now on; `id` counts them. The stream does not end by itself, so a page that waits for the whole answer (“Try it out” here does) shows nothing: watch with `curl -N http://127.0.0.1:8080/v1/events` or an `EventSource`. A comment every 15 s keeps a quiet stream open. A watcher that has a mebibyte unread is cut off.',
      caller: 'operator',
      responses: {
        200: eventStream('The events.', EVENTS, exampleOf(call), HEADERS),
        ...faults(new OverloadedError('Too many event streams are open.'), new ShuttingDownError()),
      },
    },
    head: {
      operationId: 'headEvents',
      summary: 'Whether events could be watched',
      description: 'The headers alone: whoever asks for them would wait for an end that never comes.',
      caller: 'operator',
      responses: { 200: { description: 'They could.' } },
    },
  };
}
