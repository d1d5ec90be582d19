import {
  InvalidRequestError,
  ModelNotFoundError,
  ROUTE_POLICIES,
  TooFewCallsError,
  type RoutePolicy,
} from '../kernel/index.js';
import {
  amount,
  EXAMPLE,
  faults,
  inQuery,
  jsonAnswer,
  listOf,
  literal,
  modelQuery,
  named,
  objectOf,
  oneOf,
  orNull,
  share,
  text,
  whole,
  type ApiPart,
  type Operation,
  type Schema,
} from '../openapi/index.js';
import { DOUBTS, type Doubt } from './doubts.js';
import type { Interval } from './estimates.js';
import type { LeftOutCalls } from './logged-call.js';
import {
  EXPLORE_SHARE,
  WEIGHT_ALPHA,
  WINDOW_SECONDS,
  type ReplaySetting,
  type RoutingReplay,
} from './replay.controller.js';
import { LEAST_CALLS } from './replay.service.js';
import type { Earnings, Replay, ReplayEstimates } from './replay.js';

/** It may be less than 0: a difference, or where an interval ends. */
const signed = (description: string): Schema<number> => ({ type: 'number', description });

const INTERVAL = named(
  'ReplayInterval',
  objectOf<Interval>('A mean, and between what it lies with 95 %.', {
    mean: signed('The mean.'),
    low: signed('The lower end.'),
    high: signed('The upper end.'),
  }),
);

const EARNINGS = named(
  'ReplayEarnings',
  objectOf<Earnings>('What a call earned on average.', { tps: INTERVAL, seconds: INTERVAL }),
);

const SETTING = named(
  'ReplaySetting',
  objectOf<ReplaySetting>('The settings that a replay may change.', {
    policy: text('The policy.', { enum: ROUTE_POLICIES }) as Schema<RoutePolicy>,
    explore_share: share('`MESHNET_ROUTE_EXPLORE_SHARE`'),
    weight_alpha: amount('`MESHNET_ROUTE_WEIGHT_ALPHA`'),
  }),
);

const ESTIMATES = named(
  'ReplayEstimates',
  objectOf<ReplayEstimates>('What the proposed setting would have earned, by two ways of reckoning.', {
    doubly_robust: EARNINGS,
    inverse_propensity: EARNINGS,
    change: EARNINGS,
  }),
);

const REPLAY = named(
  'RoutingReplay',
  objectOf<RoutingReplay>('What another setting would have earned.', {
    object: literal('routing_replay'),
    model: text('The model.'),
    window_seconds: whole('How far back calls count.', { minimum: 1 }),
    in_force: SETTING,
    proposed: SETTING,
    verdict: oneOf<Replay['verdict']>('Whether the log can tell.', {
      estimated: 'it can; read `warnings` too',
      cannot_tell: 'it can’t; `reason` and `why` say what it lacks',
    }),
    reason: orNull(oneOf<Doubt>('Why the log can’t tell.', DOUBTS), 'it can'),
    why: orNull(text('The reason in words.'), 'it can'),
    calls: whole('Completed calls whose route the policy chose.', { minimum: LEAST_CALLS }),
    left_out: objectOf<LeftOutCalls>('Calls that count for nothing here, by why.', {
      not_chosen: whole('Pinned, or sent by the last resort.'),
      failed: whole('No route served them.'),
      client_left: whole('Their client left.'),
      no_sample: whole('Too few tokens, or a client that read slowly.'),
      not_all_kept: whole('Chosen from more candidates than records keep.'),
    }),
    effective_sample_size: orNull(
      amount('As many calls made by the proposed setting itself would tell about as much.'),
      'its policy gave no probabilities',
    ),
    as_logged: EARNINGS,
    estimates: orNull(ESTIMATES, 'the log can’t tell'),
    warnings: listOf('What could mislead, in words.', text('One of them.')),
  }),
);

const example: RoutingReplay = {
  object: 'routing_replay',
  model: EXAMPLE.model,
  window_seconds: 86_400,
  in_force: { policy: 'proportional', explore_share: 0.3, weight_alpha: 1 },
  proposed: { policy: 'proportional', explore_share: 0.1, weight_alpha: 2 },
  verdict: 'estimated',
  reason: null,
  why: null,
  calls: 3120,
  left_out: { not_chosen: 4, failed: 11, client_left: 35, no_sample: 210, not_all_kept: 0 },
  effective_sample_size: 1871.4,
  as_logged: {
    tps: { mean: 22.4, low: 21.9, high: 22.9 },
    seconds: { mean: 14.8, low: 14.1, high: 15.5 },
  },
  estimates: {
    doubly_robust: {
      tps: { mean: 27.2, low: 26.6, high: 27.8 },
      seconds: { mean: 11.9, low: 11.3, high: 12.5 },
    },
    inverse_propensity: {
      tps: { mean: 27.4, low: 26.5, high: 28.3 },
      seconds: { mean: 12.1, low: 11.2, high: 13 },
    },
    change: {
      tps: { mean: 4.8, low: 4.3, high: 5.3 },
      seconds: { mean: -2.9, low: -3.4, high: -2.4 },
    },
  },
  warnings: [
    'With fewer scouts less would be learned in the long run; the replay knows what was learned with those there were.',
  ],
};

const routingReplay: Operation = {
  operationId: 'replayRouting',
  summary: 'What another setting would have earned',
  description:
    'Weighs the model’s calls anew, by the probabilities with which their routes were chosen. What isn’t given stays as it is in force. A day of calls is remembered, less where there are very many.',
  caller: 'operator',
  parameters: [
    { ...modelQuery('The model.'), required: true, example: EXAMPLE.model },
    inQuery('policy', 'Another policy.', { type: 'string', enum: ROUTE_POLICIES }),
    inQuery('explore_share', 'Another share of scouts.', {
      ...{ type: 'number', minimum: EXPLORE_SHARE.least, maximum: EXPLORE_SHARE.most },
    }),
    inQuery('weight_alpha', 'Another power of tokens/s.', {
      ...{ type: 'number', minimum: WEIGHT_ALPHA.least, maximum: WEIGHT_ALPHA.most },
    }),
    inQuery('window', 'Only calls that ended within so many seconds.', {
      ...{ type: 'integer', minimum: 1, maximum: WINDOW_SECONDS.most, default: WINDOW_SECONDS.byDefault },
    }),
  ],
  responses: {
    200: jsonAnswer('What it would have earned, or why the log can’t tell.', REPLAY, example),
    ...faults(
      new InvalidRequestError('model must be given.', 'model'),
      new ModelNotFoundError('nobody-serves-this'),
      new TooFewCallsError(17, LEAST_CALLS),
    ),
  },
};

export const replayApi: ApiPart = {
  tag: { name: 'Replay', description: 'What another setting would have earned on the calls there were.' },
  paths: { '/v1/routing/replay': { get: routingReplay } },
};
