import { ModelNotFoundError } from '../kernel/index.js';
import {
  EXAMPLE,
  faults,
  inPath,
  jsonAnswer,
  listAnswerOf,
  literal,
  named,
  objectOf,
  pathFault,
  text,
  whole,
  type ApiPart,
} from '../openapi/index.js';
import type { ModelCard } from './models.controller.js';

const CARD = named(
  'Model',
  objectOf<ModelCard>('OpenAI’s model object.', {
    id: text('What a chat names as its `model`.'),
    object: literal('model'),
    created: whole('Unix seconds since when the mesh knows it.'),
    owned_by: text('Always `meshnet`.'),
  }),
);

const example: ModelCard = {
  id: EXAMPLE.model,
  object: 'model',
  created: Math.floor(EXAMPLE.atMs / 1000),
  owned_by: 'meshnet',
};

export const modelsApi: ApiPart = {
  tag: { name: 'Models', description: 'What a chat can be about.' },
  paths: {
    '/v1/models': {
      get: {
        operationId: 'listModels',
        summary: 'Models that a chat can be routed to right now',
        description: 'Those with at least one complete route, in the order in which they became known.',
        caller: 'client',
        responses: {
          200: jsonAnswer('The models.', listAnswerOf('Models.', CARD), { object: 'list', data: [example] }),
        },
      },
    },
    '/v1/models/{model}': {
      get: {
        operationId: 'getModel',
        summary: 'One of them',
        description: 'Ids with slashes may be sent raw or percent-encoded.',
        caller: 'client',
        parameters: [inPath('model', 'The id.', EXAMPLE.model)],
        responses: {
          200: jsonAnswer('The model.', CARD, example),
          ...faults(pathFault(), new ModelNotFoundError('nobody-serves-this')),
        },
      },
    },
  },
};
