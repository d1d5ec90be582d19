import {
  InvalidRequestError,
  LoopError,
  ModelNotFoundError,
  NodeFailedError,
  NodeTimeoutError,
  NoRouteError,
  OverloadedError,
  PayloadTooLargeError,
  QueueError,
  RateLimitedError,
  ShuttingDownError,
  UnsupportedMediaError,
} from '../kernel/index.js';
import {
  EXAMPLE,
  faults,
  JSON_TYPE,
  type Answer,
  type Answers,
  type Header,
  type Headers,
} from '../openapi/index.js';
import type { RouteMode } from '../routing/index.js';
import { HEADS_ERROR, orHeads } from './chat-schemas.openapi.js';

const REQUEST_ID: Header = {
  description:
    'The request’s own `x-request-id`, or one given to it; `GET /v1/calls/{request_id}` tells the rest.',
  required: true,
  schema: { type: 'string', minLength: 1 },
};

const MODES: readonly RouteMode[] = ['scout', 'exploit', 'control', 'pinned', 'greedy-fallback'];

/** On every answer that a route had a part in. */
const ROUTE_HEADERS: Headers = {
  'x-meshnet-route': {
    description: 'The signature of the route that served, bytes outside 0x20–0x7E percent-encoded.',
    schema: { type: 'string' },
  },
  'x-meshnet-route-mode': { description: 'Why it was this one.', schema: { type: 'string', enum: MODES } },
  'x-meshnet-attempts': {
    description: 'How many routes were tried.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
};

/** Where chats are counted by the minute (`MESHNET_KEY_REQUESTS_PER_MINUTE`). */
const LIMIT_HEADERS: Headers = {
  'x-ratelimit-limit-requests': {
    description: 'Chats that this caller may send a minute.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
  'x-ratelimit-remaining-requests': {
    description: 'How many of them are left now.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'x-ratelimit-reset-requests': {
    description: 'How long until all are.',
    schema: { type: 'string', pattern: '^[0-9.]+(ms|s)$' },
  },
};

/** Headers of a success: there is a route. */
export const SERVED: Headers = {
  'x-request-id': REQUEST_ID,
  ...Object.fromEntries(
    Object.entries(ROUTE_HEADERS).map(([name, header]) => [name, { ...header, required: true }]),
  ),
  ...LIMIT_HEADERS,
};

const SHOULD_RETRY: Headers = {
  'x-should-retry': {
    description: '`false` where a JSON answer ran out of time: asking again would double the work.',
    schema: { type: 'string', const: 'false' },
  },
};

const WHICH_TRACKER: Headers = {
  'x-meshnet-tracker': {
    description:
      'The name in `Via` of the tracker that answers: a chat that has been there need not come again.',
    schema: { type: 'string', pattern: '^meshnet-[\\w-]{1,64}$' },
  },
};

const OURS = faults(
  new InvalidRequestError('stream must be true or false.', 'stream'),
  new InvalidRequestError('route[1] does not serve layer 22, the next one.', 'route'),
  new ModelNotFoundError('nobody-serves-this'),
  new PayloadTooLargeError('The body is longer than the 33554432 bytes that MESHNET_MAX_BODY_BYTES allows.'),
  new UnsupportedMediaError('Send the body without Content-Encoding.'),
  new QueueError('Every node was full for 60 s (MESHNET_QUEUE_SECONDS).', 'queue_timeout'),
  new QueueError('Every node is full, and so is the queue (MESHNET_QUEUE_LENGTH).', 'queue_full'),
  new QueueError(
    'The nodes of every route asked to get no chats for now; the first route is back in 90 s.',
    'nodes_resting',
    90,
  ),
  new RateLimitedError('You may send 60 chats a minute (MESHNET_KEY_REQUESTS_PER_MINUTE). Wait 1 s.', 1),
  new NodeFailedError(`The node ${EXAMPLE.gpu} could not be reached: ECONNREFUSED.`, 'node_unreachable'),
  new NodeFailedError('The node failed.', 'node_failed'),
  new NodeFailedError(
    `The node ${EXAMPLE.gpu} was not called: its endpoint leads to where no node may be (MESHNET_NODE_NETWORKS).`,
    'endpoint_refused',
  ),
  new NodeFailedError(`The node ${EXAMPLE.gpu} refuses the tracker (status 401).`, 'node_misconfigured'),
  new NodeFailedError(`The node ${EXAMPLE.gpu} ended its answer before it was complete.`, 'answer_cut_off'),
  new NoRouteError(
    `No route for the model ${JSON.stringify(EXAMPLE.model)}: nobody serves layers 22-39 (served last by ${EXAMPLE.cpu}).`,
    [],
    5,
  ),
  new OverloadedError('Too many chats are under way (MESHNET_MAX_IN_FLIGHT).'),
  new ShuttingDownError(),
  new NodeTimeoutError(
    `The node ${EXAMPLE.gpu} sent no first byte for 600.0 s (request of 1200 bytes); MESHNET_FIRST_BYTE_TIMEOUT_SECONDS sets this limit.`,
  ),
  new LoopError(),
);

/** Where several routes failed, the most telling answer is given: a head's own where there is one. */
function withHeads(status: string, answer: Answer): Answer {
  const retries = answer.headers?.['retry-after'];
  const ours = answer.content?.[JSON_TYPE];
  return {
    description: `${answer.description} Or a head’s own ${status}.`,
    headers: {
      'x-request-id': REQUEST_ID,
      ...ROUTE_HEADERS,
      ...LIMIT_HEADERS,
      ...(status === '504' ? SHOULD_RETRY : {}),
      ...(status === '508' ? WHICH_TRACKER : {}),
      ...(retries === undefined ? {} : { 'retry-after': { ...retries, required: false } }),
    },
    ...(ours === undefined ? {} : { content: { [JSON_TYPE]: { ...ours, schema: orHeads(ours.schema) } } }),
  };
}

function headsOwn(description: string): Answer {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID, ...ROUTE_HEADERS, ...LIMIT_HEADERS },
    content: { [JSON_TYPE]: { schema: HEADS_ERROR } },
  };
}

/** Everything a chat may end in but a success. */
export const CHAT_FAULTS: Answers = {
  ...Object.fromEntries(Object.entries(OURS).map(([status, answer]) => [status, withHeads(status, answer)])),
  '4XX': headsOwn('What a head had against the request, passed on with its status.'),
  '5XX': headsOwn('What a head failed with, passed on with its status when no other route did better.'),
};
