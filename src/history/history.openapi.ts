import { CHANGES } from '../calls/fact-schemas.openapi.js';
import { InvalidRequestError, ModelNotFoundError } from '../kernel/index.js';
import {
  amount,
  EXAMPLE,
  faults,
  inQuery,
  jsonAnswer,
  listAnswerOf,
  listOf,
  literal,
  modelQuery,
  named,
  objectOf,
  orNull,
  queryFault,
  text,
  unionOf,
  whole,
  type ApiPart,
  type Operation,
} from '../openapi/index.js';
import { TIMELINE_ROWS, type IncidentList, type RoutingHistory } from './history.controller.js';
import { LEAST_CONTROL_CALLS, type Earnings, type EarningsRow } from './earnings.js';
import { INCIDENTS } from './incident-schemas.openapi.js';
import { WINDOW_SECONDS } from './model-incidents.js';
import { BUCKET_SECONDS, type RouteHistory, type RoutePoint } from './route-history.service.js';
import type { TimelineEntry } from './timeline.js';

type Entry<T extends TimelineEntry['type']> = Extract<TimelineEntry, { readonly type: T }>;

const unknownModel = new ModelNotFoundError('nobody-serves-this');

const HISTORY = named(
  'RoutingHistory',
  objectOf<RoutingHistory>('Learned speeds over the last hour.', {
    object: literal('routing_history'),
    model: text('The model.'),
    bucket_seconds: whole('What a point stands for.', { minimum: 1 }),
    routes: listOf(
      'Those with a sample, newest sampled first.',
      objectOf<RouteHistory>('One route.', {
        signature: text('The route.'),
        points: listOf(
          'Oldest first; only minutes that have samples.',
          objectOf<RoutePoint>('A route’s samples in one minute.', {
            at: amount('When the minute began, in Unix seconds.'),
            tps: amount('Mean of its samples, in tokens/s.'),
            learned_tps: amount('What the route’s arm held after the last of them.'),
            samples: whole('How many.', { minimum: 1 }),
          }),
        ),
      }),
    ),
  }),
);

const INCIDENT_LIST = objectOf<IncidentList>('Models.', {
  object: literal('list'),
  window_seconds: whole('How long a window is.', { minimum: 1 }),
  data: listOf('In the order in which they became known.', INCIDENTS),
});

const ENTRY = named(
  'TimelineEntry',
  unionOf<TimelineEntry>('A change of the mesh.', {
    'epoch.bumped': objectOf<Entry<'epoch.bumped'>>('A model’s nodes changed.', {
      type: literal('epoch.bumped'),
      ...CHANGES['epoch.bumped'],
    }),
    'breaker.changed': objectOf<Entry<'breaker.changed'>>('A node’s circuit breaker changed.', {
      type: literal('breaker.changed'),
      ...CHANGES['breaker.changed'],
    }),
    'node.resting': objectOf<Entry<'node.resting'>>('A node asked for a rest of at least 10 s.', {
      type: literal('node.resting'),
      ...CHANGES['node.resting'],
    }),
    'nodes_file.read': objectOf<Entry<'nodes_file.read'>>('The nodes file was read.', {
      type: literal('nodes_file.read'),
      ...CHANGES['nodes_file.read'],
    }),
    'nodes_file.refused': objectOf<Entry<'nodes_file.refused'>>('The nodes file has faults.', {
      type: literal('nodes_file.refused'),
      ...CHANGES['nodes_file.refused'],
    }),
  }),
);

const EARNINGS = named(
  'RoutingEarnings',
  objectOf<Earnings>('What the policy earned in a span of time.', {
    calls: whole('Completed calls that the policy routed.'),
    control_calls: whole('Completed calls that were routed by least in-flight, for comparison.'),
    seconds_saved: orNull(
      amount(
        'Of the policy’s calls together, by seconds an output token; below 0 where the control group was faster.',
      ),
      'It can’t be told.',
    ),
    plus_minus_seconds: orNull(amount('Half of the 95 % interval of that.'), 'It can’t be told.'),
    scout_calls: whole('Scouts whose cost is known.'),
    scout_seconds: amount('What scouts took beyond the fastest route known when they were sent.'),
    cannot_tell: orNull(
      text(
        `Why \`seconds_saved\` is null: the policy has no control group, or one of under ${String(LEAST_CONTROL_CALLS)} calls.`,
      ),
      'It can be told.',
    ),
  }),
);

const EARNINGS_LIST = listAnswerOf(
  'Models, in the order in which they became known.',
  objectOf<EarningsRow>('One model.', {
    model: text('The model.'),
    day: EARNINGS,
    week: EARNINGS,
  }),
);

const earnings: Operation = {
  operationId: 'getRoutingEarnings',
  summary: 'What choosing well saved, and what scouts cost',
  description:
    'Over the last 24 hours and 7 days, since the tracker started. A policy with a control group (`MESHNET_ROUTE_CONTROL_SHARE`) is compared with least in-flight on the very same traffic.',
  caller: 'operator',
  parameters: [modelQuery('Only this model.')],
  responses: {
    200: jsonAnswer('The models.', EARNINGS_LIST, {
      object: 'list',
      data: [
        {
          model: EXAMPLE.model,
          day: {
            ...{ calls: 2950, control_calls: 61, seconds_saved: 412.5, plus_minus_seconds: 90.2 },
            ...{ scout_calls: 12, scout_seconds: 8.4, cannot_tell: null },
          },
          week: {
            ...{ calls: 2950, control_calls: 61, seconds_saved: 412.5, plus_minus_seconds: 90.2 },
            ...{ scout_calls: 12, scout_seconds: 8.4, cannot_tell: null },
          },
        },
      ],
    }),
    ...faults(queryFault('model'), unknownModel),
  },
};

const routingHistory: Operation = {
  operationId: 'getRoutingHistory',
  summary: 'Each route’s speed over the last hour',
  description: 'By minute, in memory only: lasting records are for whoever reads `/metrics`.',
  caller: 'operator',
  parameters: [
    { ...modelQuery('The model.'), required: true, example: EXAMPLE.model },
    inQuery('signature', 'Only this route; none where it has no samples.', { type: 'string' }),
  ],
  responses: {
    200: jsonAnswer('The speeds.', HISTORY, {
      object: 'routing_history',
      model: EXAMPLE.model,
      bucket_seconds: BUCKET_SECONDS,
      routes: [
        {
          signature: EXAMPLE.fast,
          points: [{ at: 1_777_890_000, tps: 30.4, learned_tps: 31.1, samples: 3 }],
        },
      ],
    }),
    ...faults(new InvalidRequestError('model must be given.', 'model'), unknownModel),
  },
};

const incidents: Operation = {
  operationId: 'listIncidents',
  summary: 'How each model fares, now and an hour ago',
  description: 'Success, time to first token and waiting of two windows, and the failures of the newer one.',
  caller: 'operator',
  parameters: [modelQuery('Only this model.')],
  responses: {
    200: jsonAnswer('The models.', INCIDENT_LIST, {
      object: 'list',
      window_seconds: WINDOW_SECONDS,
      data: [
        {
          model: EXAMPLE.model,
          waiting: 0,
          now: { calls: 21, succeeded: 19, success_ratio: 0.95, p95_ttft_ms: 840, queued: 2 },
          hour_ago: { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 },
          failures: [{ node_id: EXAMPLE.gpu, cause: 'node_unreachable', count: 1 }],
        },
      ],
    }),
    ...faults(queryFault('model'), unknownModel),
  },
};

const timeline: Operation = {
  operationId: 'listTimeline',
  summary: 'How the mesh changed',
  description:
    'Epochs, breakers, rests and reads of the nodes file, newest first; the newest 1,000 are kept.',
  caller: 'operator',
  parameters: [
    modelQuery('Only what concerns this model; reads of the nodes file concern each.'),
    inQuery('limit', 'At most so many.', {
      ...{ type: 'integer', minimum: 1, maximum: TIMELINE_ROWS.most, default: TIMELINE_ROWS.byDefault },
    }),
  ],
  responses: {
    200: jsonAnswer('The changes.', listAnswerOf('Changes.', ENTRY), {
      object: 'list',
      data: [
        {
          type: 'epoch.bumped',
          model: EXAMPLE.model,
          epoch: 2,
          node_id: EXAMPLE.gpu,
          cause: 'registered',
          at: EXAMPLE.atMs,
        },
      ],
    }),
    ...faults(
      new InvalidRequestError(
        `limit must be a whole number from 1 to ${String(TIMELINE_ROWS.most)}.`,
        'limit',
      ),
    ),
  },
};

export const historyApi: ApiPart = {
  tag: {
    name: 'History',
    description: 'What was: speeds by minute, what routing earned, incidents, changes of the mesh.',
  },
  paths: {
    '/v1/routing/history': { get: routingHistory },
    '/v1/routing/earnings': { get: earnings },
    '/v1/incidents': { get: incidents },
    '/v1/timeline': { get: timeline },
  },
};
