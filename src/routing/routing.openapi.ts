import { ModelNotFoundError, type RouteEnumeration, type RoutePolicy } from '../kernel/index.js';
import {
  amount,
  EXAMPLE,
  faults,
  jsonAnswer,
  listOf,
  literal,
  modelQuery,
  named,
  objectOf,
  oneOf,
  orNull,
  queryFault,
  share,
  text,
  whole,
  type ApiPart,
  type Schema,
  optional,
} from '../openapi/index.js';
import type { RoutingConfig, RoutingTable } from './routing.controller.js';
import type { ModelRouting } from './routing-table.service.js';
import type { RoutingRow } from './routing-table.js';

export const HOP: Schema<RoutingRow['hops'][number]> = named(
  'Hop',
  objectOf<RoutingRow['hops'][number]>('One node of a route, and the layers that it runs there.', {
    node_id: text('The node. Its own shard may start earlier than this hop.'),
    start_layer: whole('The first layer: the one after the hop before ended.'),
    end_layer: whole('The last layer, inclusive.'),
  }),
);

export const ARM_STATUS = oneOf<RoutingRow['status']>('How far its learned speed is believed.', {
  proven: 'measured under the present epoch, and not long ago; gets exploit traffic',
  unsampled: 'never measured; scouted',
  stale: 'measured before a node joined, left or changed its shard; scouted',
  decayed: 'not measured for so long that less than half a sample is left; scouted',
});

const ROW = named(
  'Candidate',
  objectOf<RoutingRow>('A route that the next chat may take, and what was learned of it.', {
    signature: text('The route’s identity: `model|node_id[start-end]->…`.'),
    hops: listOf('In the order in which they run.', HOP, { minItems: 1 }),
    status: ARM_STATUS,
    tps: orNull(amount('Learned tokens/s, end to end, decayed.'), 'never measured'),
    coefficient: orNull(amount('`tps` over that of the fastest proven route.'), 'nothing to compare'),
    traffic_share: share('The probability that the next unpinned chat goes here. A model’s shares sum to 1.'),
    sample_count: whole('Samples ever recorded.'),
    weight: amount('Evidence left, in samples: halved every half-life.'),
    prior_tps: amount(
      'What is expected of it unmeasured: its slowest hop’s declared speed, queue and reputation.',
    ),
    in_flight: whole('Attempts under way on it.'),
    chats_given_nothing: optional(
      whole(
        'Chats in a row that it gave neither a completion nor a counted failure; its prior stands behind all others until its next sample. Left out where there are none.',
      ),
    ),
    recent_share: optional(
      orNull(
        share('Its share of the model’s last 100 choices; left out under a policy that does not predict.'),
        'no choice yet',
      ),
    ),
    predicted_seconds_200: optional(
      orNull(
        amount(
          'What an answer of 200 tokens to a prompt of usual length would take there now; left out under a policy that does not predict.',
        ),
        'no time can be told',
      ),
    ),
    last_sample_seconds_ago: orNull(amount('Age of its newest sample.'), 'it has none'),
  }),
);

const MODEL = named(
  'ModelRouting',
  objectOf<ModelRouting>('One model’s routes.', {
    model: text('The model.'),
    epoch: whole('Counts joins, leaves and shard changes of its nodes.', { minimum: 1 }),
    num_layers: whole('As declared; 1 where no node declared any.', { minimum: 1 }),
    gaps: listOf(
      'Layers that nobody serves: why there is no route.',
      objectOf<ModelRouting['gaps'][number]>('A span of layers.', {
        start_layer: whole('The first.'),
        end_layer: whole('The last, inclusive.'),
      }),
    ),
    candidates: listOf(
      'The routes, the highest prior at build first: at most `max_candidates` of more than one hop, and 1,000 of one hop.',
      ROW,
    ),
    candidates_left_out: whole('Routes that were found beyond these.'),
  }),
);

const CONFIG = named(
  'RoutingConfig',
  objectOf<RoutingConfig>('The settings by which routes are enumerated, learned and chosen.', {
    policy: oneOf<RoutePolicy>('How one is chosen.', {
      proportional:
        'scout unproven routes with `explore_share`, else P ∝ tps^`weight_alpha` among the proven',
      'least-expected-delay':
        'where the call is expected to be done first, by what each node was seen to do and holds now',
    }),
    enumeration: oneOf<RouteEnumeration>('How candidates are found.', {
      greedy: 'one per head; each next hop is the one that reaches furthest',
      diverse: 'fast ones that share few nodes, by seconds per layer and hop',
    }),
    explore_share: share('`MESHNET_ROUTE_EXPLORE_SHARE`'),
    weight_alpha: amount('`MESHNET_ROUTE_WEIGHT_ALPHA`'),
    stats_half_life_seconds: amount('`MESHNET_ROUTE_STATS_HALF_LIFE`'),
    min_sample_tokens: whole('`MESHNET_ROUTE_MIN_SAMPLE_TOKENS`', { minimum: 1 }),
    max_candidates: whole('`MESHNET_ROUTE_MAX_CANDIDATES`, for routes of more than one hop.', { minimum: 1 }),
  }),
);

const TABLE = named(
  'RoutingTable',
  objectOf<RoutingTable>('What the router knows.', {
    object: literal('routing_table'),
    config: CONFIG,
    models: listOf('In the order in which they became known.', MODEL),
  }),
);

const example: RoutingTable = {
  object: 'routing_table',
  config: {
    policy: 'proportional',
    enumeration: 'greedy',
    explore_share: 0.3,
    weight_alpha: 1,
    stats_half_life_seconds: 600,
    min_sample_tokens: 8,
    max_candidates: 8,
  },
  models: [
    {
      model: EXAMPLE.model,
      epoch: 2,
      num_layers: 40,
      gaps: [],
      candidates: [
        {
          signature: EXAMPLE.fast,
          hops: [
            { node_id: EXAMPLE.gpu, start_layer: 0, end_layer: 21 },
            { node_id: EXAMPLE.cpu, start_layer: 22, end_layer: 39 },
          ],
          status: 'proven',
          tps: 31.1,
          coefficient: 1,
          traffic_share: 0.7,
          sample_count: 42,
          weight: 11.6,
          prior_tps: 12,
          in_flight: 1,
          last_sample_seconds_ago: 3.2,
        },
        {
          signature: EXAMPLE.slow,
          hops: [{ node_id: EXAMPLE.cpu, start_layer: 0, end_layer: 39 }],
          status: 'unsampled',
          tps: null,
          coefficient: null,
          traffic_share: 0.3,
          sample_count: 0,
          weight: 0,
          prior_tps: 12,
          in_flight: 0,
          last_sample_seconds_ago: null,
        },
      ],
      candidates_left_out: 0,
    },
  ],
};

export const routingApi: ApiPart = {
  tag: { name: 'Routing', description: 'What was learned of each route, and where the next chat goes.' },
  paths: {
    '/v1/routing': {
      get: {
        operationId: 'getRouting',
        summary: 'The routing table',
        description:
          'Per model: epoch, missing layers, and every candidate route with its learned speed and share.',
        caller: 'operator',
        parameters: [modelQuery('Only this model.')],
        responses: {
          200: jsonAnswer('The table.', TABLE, example),
          ...faults(queryFault('model'), new ModelNotFoundError('nobody-serves-this')),
        },
      },
    },
  },
};
