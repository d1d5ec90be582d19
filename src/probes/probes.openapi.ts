import { jsonAnswer, literal, objectOf, oneOf, type ApiPart } from '../openapi/index.js';
import type { Liveness, Readiness } from './probes.controller.js';

const LIVENESS = objectOf<Liveness>('It lives.', { status: literal('alive') });

const READINESS = objectOf<Readiness>('Whether new chats should come here.', {
  status: oneOf<Readiness['status']>('Where it stands.', {
    starting: 'some listed server has not been asked yet',
    ready: 'yes, whether or not any node is here',
    draining: 'it goes down; running chats finish',
  }),
});

export const probesApi: ApiPart = {
  tag: { name: 'Probes', description: 'For whoever starts, stops and balances trackers.' },
  paths: {
    '/healthz': {
      get: {
        operationId: 'getHealth',
        summary: 'Whether the tracker lives',
        description: 'Asks nothing of nodes or models.',
        caller: 'anyone',
        responses: { 200: jsonAnswer('It does.', LIVENESS, { status: 'alive' }) },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Whether new chats should come here',
        description: 'Ready once listening and every listed server was asked once.',
        caller: 'anyone',
        responses: {
          200: jsonAnswer('They should.', READINESS, { status: 'ready' }),
          503: jsonAnswer('They should not: it starts, or goes down.', READINESS, { status: 'draining' }),
        },
      },
    },
  },
};
