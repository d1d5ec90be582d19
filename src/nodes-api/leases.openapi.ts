import { InvalidRequestError, LeaseUnknownError } from '../kernel/index.js';
import {
  amount,
  bodyFaults,
  EXAMPLE,
  faults,
  inPath,
  json,
  jsonAnswer,
  named,
  objectOf,
  oneOf,
  openObjectOf,
  optional,
  orNull,
  pathFault,
  text,
  whole,
  type ApiPart,
} from '../openapi/index.js';
import type { Heartbeat } from '../registry/index.js';
import type { HeartbeatReceipt } from './heartbeat-receipt.js';

const AS_BEFORE = 'it stays as it was';

const HEARTBEAT = named(
  'Heartbeat',
  openObjectOf<Heartbeat>('What changed on a node; `{}` where nothing did.', {
    queue_depth: optional(orNull(whole('Requests waiting or running on it.', { maximum: 1e9 }), AS_BEFORE)),
    throughput_tps: optional(
      orNull(amount('Tokens/s for its whole shard.', { exclusiveMinimum: 0, maximum: 1e9 }), AS_BEFORE),
    ),
    status: optional(
      orNull(
        oneOf<'ready' | 'draining'>('Whether it takes new chats.', {
          ready: 'yes; an operator’s drain stays all the same',
          draining: 'no; running ones finish',
        }),
        AS_BEFORE,
      ),
    ),
  }),
);

const RECEIPT = named(
  'HeartbeatReceipt',
  objectOf<HeartbeatReceipt>('The lease goes on.', {
    node_id: text('The node.'),
    epoch: whole('Its model’s.', { minimum: 1 }),
    expires_in_seconds: amount('How long the lease lasts from now.'),
  }),
);

const leaseId = inPath(
  'lease_id',
  'As its registration was answered: the node’s own secret.',
  '5f0c2a4e-7a33-4a53-b7f2-1f7b39f0a0e1',
);

export const leasesApi: ApiPart = {
  tag: { name: 'Leases', description: 'Nodes stay by heartbeat, and leave by saying so.' },
  paths: {
    '/v1/leases/{lease_id}': {
      put: {
        operationId: 'heartbeat',
        summary: 'Stay, and say how it goes',
        description:
          'To be sent every `heartbeat_seconds`. Any byte of a chat counts as a sign of life too. 404 `lease_unknown`: the lease ended, was replaced, or the tracker started anew; register again.',
        caller: 'node',
        parameters: [leaseId],
        requestBody: {
          description: 'The report.',
          required: true,
          content: json(HEARTBEAT, { queue_depth: 2, status: 'ready' }),
        },
        responses: {
          200: jsonAnswer('It was heard.', RECEIPT, {
            node_id: EXAMPLE.gpu,
            epoch: 2,
            expires_in_seconds: 90,
          }),
          ...faults(
            new InvalidRequestError('status must be "ready" or "draining".', 'status'),
            ...bodyFaults(),
            pathFault(),
            new LeaseUnknownError(),
          ),
        },
      },
      delete: {
        operationId: 'deregisterNode',
        summary: 'Leave',
        description: 'The node gets no new chats from now on. A lease that is unknown has ended already.',
        caller: 'node',
        parameters: [leaseId],
        responses: { 204: { description: 'It has left.' }, ...faults(pathFault()) },
      },
    },
  },
};
