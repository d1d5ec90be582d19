import { InvalidRequestError } from '../kernel/index.js';
import {
  EXAMPLE,
  faults,
  inPath,
  inQuery,
  jsonAnswer,
  listAnswerOf,
  modelQuery,
  pathFault,
  queryFault,
  type ApiPart,
  type Operation,
} from '../openapi/index.js';
import type { CandidateNote } from '../routing/index.js';
import type { CallRecord } from './call-record.js';
import { CALL, STORY } from './call-schemas.openapi.js';
import { CallNotFoundError, LIMIT } from './calls.controller.js';
import { eventsItem } from './events.openapi.js';

const callExample: CallRecord = {
  request_id: EXAMPLE.requestId,
  started_at: EXAMPLE.at,
  model: EXAMPLE.model,
  stream: true,
  key_name: 'alice',
  routing: { mode: 'exploit', signature: EXAMPLE.fast, probability: 0.7 },
  attempts: [
    {
      ...{ signature: EXAMPLE.fast, mode: 'exploit', probability: 0.7, outcome: 'completed' },
      ...{ status: 200, ms: 4120.5, failed_node_id: null, cause: null },
    },
  ],
  outcome: 'completed',
  cause: null,
  prompt_tokens: 9,
  completion_tokens: 128,
  tokens_estimated: false,
  tps: 31.1,
  queued_ms: 0,
  ttft_ms: 310.2,
  total_ms: 4121.9,
  sample: 'recorded',
  work_units: [
    { node_id: EXAMPLE.gpu, start_layer: 0, end_layer: 21, work_units: 2816 },
    { node_id: EXAMPLE.cpu, start_layer: 22, end_layer: 39, work_units: 2304 },
  ],
};

const candidates: readonly CandidateNote[] = [
  {
    ...{ signature: EXAMPLE.fast, status: 'proven', tps: 31.1, prior_tps: 12, weight: 11.6 },
    ...{ traffic_share: 0.7, scouts_in_flight: 0, barred: false, left_out: null },
    ...{ predicted_seconds: null, predicted_seconds_200: null, node_loads: null },
  },
  {
    ...{ signature: EXAMPLE.slow, status: 'unsampled', tps: null, prior_tps: 12, weight: 0 },
    ...{ traffic_share: 0.3, scouts_in_flight: 0, barred: false, left_out: null },
    ...{ predicted_seconds: null, predicted_seconds_200: null, node_loads: null },
  },
];

const list: Operation = {
  operationId: 'listCalls',
  summary: 'The newest calls',
  description: 'Open ones first, then the newest 1,000 finished ones, each newest first.',
  caller: 'operator',
  parameters: [
    modelQuery('Only calls of this model.'),
    inQuery('limit', 'At most so many.', {
      type: 'integer',
      minimum: 1,
      maximum: LIMIT.most,
      default: LIMIT.byDefault,
    }),
    inQuery('open', 'Open calls only.', { type: 'boolean', default: false }),
  ],
  responses: {
    200: jsonAnswer('The calls.', listAnswerOf('Calls.', CALL), { object: 'list', data: [callExample] }),
    ...faults(
      new InvalidRequestError(`limit must be a whole number from 1 to ${String(LIMIT.most)}.`, 'limit'),
      queryFault('model'),
    ),
  },
};

const one: Operation = {
  operationId: 'getCall',
  summary: 'One call’s story',
  description:
    'With what its route was chosen from. Where a client used an id again, it names the newer call.',
  caller: 'operator',
  parameters: [inPath('request_id', 'As `x-request-id` said it, percent-encoded.', EXAMPLE.requestId)],
  responses: {
    200: jsonAnswer('The call.', STORY, {
      ...callExample,
      attempts: callExample.attempts.map((attempt) => ({
        ...{ ...attempt, reason: null, candidates, candidates_not_kept: 0 },
      })),
    }),
    ...faults(pathFault(), new CallNotFoundError('This call is not among those remembered.')),
  },
};

export const callsApi: ApiPart = {
  tag: { name: 'Calls', description: 'What happened: which route served a call, and why.' },
  paths: {
    '/v1/calls': { get: list },
    '/v1/calls/{request_id}': { get: one },
    '/v1/events': eventsItem(callExample),
  },
};
