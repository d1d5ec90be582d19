import {
  ConflictError,
  InvalidRequestError,
  NodeNotFoundError,
  RateLimitedError,
  WalletProofError,
} from '../kernel/index.js';
import {
  amount,
  bodyFaults,
  EXAMPLE,
  faults,
  inPath,
  json,
  jsonAnswer,
  listAnswerOf,
  modelQuery,
  named,
  objectOf,
  oneOf,
  openObjectOf,
  optional,
  orNull,
  pathFault,
  queryFault,
  text,
  under,
  whole,
  type ApiPart,
  type Operation,
} from '../openapi/index.js';
import type { ProofFields, Registration } from '../registry/index.js';
import { NODE_ROW, nodeExample } from './node-row.openapi.js';
import type { NodeRow } from './node-row.js';
import type { RegistrationReceipt } from './registration-desk.js';

const UNDECLARED = 'the same as left out';

const PROOF = named(
  'WalletProof',
  openObjectOf<ProofFields>(
    'Shows that the registration comes from its wallet, which is an Ed25519 public key in base58 then. A wrong one is refused even where none is required.',
    {
      time_ms: whole('When it was signed, Unix time; within 60 s of the tracker’s.', {
        maximum: Number.MAX_SAFE_INTEGER,
      }),
      nonce: text('Never used before.', { pattern: '^[A-Za-z0-9_-]{16,64}$' }),
      signature: text('Ed25519, over the text that docs/node-protocol.md describes; base64.', {
        pattern: '^[A-Za-z0-9+/]{86}==$',
      }),
    },
  ),
);

const REGISTRATION = named(
  'Registration',
  openObjectOf<Registration>('What a node says of itself. Fields that aren’t named here are passed over.', {
    wallet: text('Its owner.', { pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    name: optional(
      orNull(text('Tells one owner’s machines apart.', { pattern: '^[A-Za-z0-9_.-]{1,128}$' }), UNDECLARED),
    ),
    endpoint: text(
      'Where the tracker calls it: an absolute http(s) URL without credentials, query or fragment. A trailing slash or `/v1` is dropped.',
      { format: 'uri' },
    ),
    model: text('What it serves; no control characters.', { minLength: 1, maxLength: 256 }),
    num_layers: optional(
      orNull(
        whole('Layers of the whole model; needed with its first shard.', { minimum: 1, maximum: 100_000 }),
        UNDECLARED,
      ),
    ),
    shard_start: optional(
      orNull(
        whole('Its first layer. Without a shard it serves the whole model.', { maximum: 99_999 }),
        UNDECLARED,
      ),
    ),
    shard_end: optional(orNull(whole('Its last layer, inclusive.', { maximum: 99_999 }), UNDECLARED)),
    throughput_tps: optional(
      orNull(
        amount('Tokens/s for its whole shard, a first guess of its speed.', {
          exclusiveMinimum: 0,
          maximum: 1e9,
        }),
        UNDECLARED,
      ),
    ),
    queue_depth: optional(orNull(whole('Requests waiting or running on it.', { maximum: 1e9 }), UNDECLARED)),
    max_concurrent: optional(
      orNull(whole('How many chats it takes at once.', { minimum: 1, maximum: 1e9 }), UNDECLARED),
    ),
    upstream_model: optional(
      orNull(
        text('What it calls the model itself; put into the bodies that it gets.', {
          minLength: 1,
          maxLength: 256,
        }),
        UNDECLARED,
      ),
    ),
    api_key: optional(
      orNull(
        text('What the node asks of whoever calls it: sent to it alone, shown nowhere.', {
          minLength: 1,
          maxLength: 512,
          pattern: '^[!-~]+$',
        }),
        'it asks nothing',
      ),
    ),
    finish_reason: optional(
      orNull(
        oneOf<'sent' | 'never'>('Whether its answers say why a choice ended.', {
          sent: 'as OpenAI’s do',
          never: 'they never do, so that an answer is whole without',
        }),
        UNDECLARED,
      ),
    ),
    proof: optional(orNull(PROOF, 'none')),
  }),
);

const RECEIPT = named(
  'RegistrationReceipt',
  objectOf<RegistrationReceipt>('What a node needs to stay.', {
    node_id: text('Its name in routes.'),
    lease_id: text('Its own secret: whoever has it can end the registration. No list shows it.'),
    epoch: whole('The model’s, with this node in.', { minimum: 1 }),
    heartbeat_seconds: amount('How often to send `PUT /v1/leases/{lease_id}`: a third of the lease.'),
    expires_in_seconds: amount('How long the lease lasts past the last sign of life.'),
  }),
);

const receipt: RegistrationReceipt = {
  node_id: EXAMPLE.gpu,
  lease_id: '5f0c2a4e-7a33-4a53-b7f2-1f7b39f0a0e1',
  epoch: 2,
  heartbeat_seconds: 30,
  expires_in_seconds: 90,
};

const nodeId = inPath('node_id', 'The node, percent-encoded where needed.', EXAMPLE.gpu);
const whichModel = modelQuery('Needed where several models have a node with this id.');
const notHere = new NodeNotFoundError('No node with this id is here.');
const ambiguous = new ConflictError('Several models have a node with this id: add ?model=.', 'model');

function operatorsOwn(
  told: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  outcome: string,
  status: NodeRow['status'],
): Operation {
  return {
    ...told,
    caller: 'operator',
    parameters: [nodeId, whichModel],
    responses: {
      200: jsonAnswer(outcome, NODE_ROW, { ...nodeExample, status }),
      ...faults(queryFault('model'), pathFault(), notHere, ambiguous),
    },
  };
}

const received = jsonAnswer('', RECEIPT, receipt);

const register: Operation = {
  operationId: 'registerNode',
  summary: 'Register a node',
  description:
    'A node joins, or says anew what it is. Repeating it is safe: the newest registration of an identity (wallet, name, model) wins, and its old lease dies. With another shard it is another node, whose routes are measured anew.',
  caller: 'node',
  requestBody: {
    description: 'The node.',
    required: true,
    content: json(REGISTRATION, {
      wallet: 'alice',
      name: 'gpu',
      endpoint: 'http://10.0.0.7:8000',
      model: EXAMPLE.model,
      num_layers: 40,
      shard_start: 0,
      shard_end: 21,
      throughput_tps: 90,
      max_concurrent: 8,
    }),
  },
  responses: {
    ...under([200], { ...received, description: 'Its identity was known.' }),
    ...under([201], { ...received, description: 'It is new.' }),
    ...faults(
      new InvalidRequestError('shard_end must come with shard_start.', 'shard_end'),
      ...bodyFaults(),
      new WalletProofError('This tracker takes nodes with a proof only.', 'wallet_proof_required'),
      new WalletProofError('proof.nonce was used before: sign again with another.', 'wallet_proof_invalid'),
      new ConflictError('num_layers of this model is 40 already.', 'num_layers'),
      new ConflictError('A node of another wallet is at this endpoint.', 'endpoint'),
      new RateLimitedError(
        'Too many wrong keys or refused registrations came from this address, more than 60 a minute. Wait 1 s.',
        1,
      ),
    ),
  },
};

const list: Operation = {
  operationId: 'listNodes',
  summary: 'The nodes that are here',
  description: 'Drained ones too, in the order of their first registration.',
  caller: 'operator',
  parameters: [modelQuery('Only nodes of this model; none of an unknown one.')],
  responses: {
    200: jsonAnswer('The nodes.', listAnswerOf('Nodes.', NODE_ROW), { object: 'list', data: [nodeExample] }),
    ...faults(queryFault('model')),
  },
};

export const nodesApi: ApiPart = {
  tag: { name: 'Nodes', description: 'Who is here. The whole contract of a node: docs/node-protocol.md.' },
  paths: {
    '/v1/nodes': { get: list, post: register },
    '/v1/nodes/{node_id}/drain': {
      post: operatorsOwn(
        {
          operationId: 'drainNode',
          summary: 'Take a node out of new chats',
          description:
            'Running ones finish. It outlasts the node’s heartbeats and registrations, until it is resumed.',
        },
        'It gets no new chats.',
        'draining',
      ),
    },
    '/v1/nodes/{node_id}/resume': {
      post: operatorsOwn(
        {
          operationId: 'resumeNode',
          summary: 'Take a drain back',
          description: 'An operator’s, and the node’s own.',
        },
        'It gets chats again.',
        'ready',
      ),
    },
    '/v1/nodes/{node_id}': {
      delete: {
        operationId: 'deleteNode',
        summary: 'End a node’s registration',
        description:
          'A node that registers itself may come back; a listed server stays away until the list is read again. One that isn’t here has been ended already.',
        caller: 'operator',
        parameters: [nodeId, whichModel],
        responses: {
          204: { description: 'It is not here (any more).' },
          ...faults(queryFault('model'), pathFault(), ambiguous),
        },
      },
    },
  },
};
