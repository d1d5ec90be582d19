import { NotFoundError } from '../kernel/index.js';
import { faults, inPath, JSON_TYPE, textAnswer, type ApiPart } from '../openapi/index.js';
import { PAGE_FILES } from './docs-page.js';

export const docsApi: ApiPart = {
  tag: { name: 'API pages', description: 'This document.' },
  paths: {
    '/openapi.json': {
      get: {
        operationId: 'getOpenApi',
        summary: 'This document',
        description: 'OpenAPI 3.1.',
        caller: 'reader',
        responses: {
          200: {
            description: 'The document.',
            content: {
              [JSON_TYPE]: {
                schema: {
                  type: 'object',
                  required: ['openapi', 'info', 'paths'],
                  properties: {
                    openapi: { type: 'string', pattern: '^3\\.1\\.' },
                    info: { type: 'object', additionalProperties: true },
                    paths: { type: 'object', additionalProperties: true },
                  },
                  additionalProperties: true,
                },
              },
            },
          },
        },
      },
    },
    '/docs': {
      get: {
        operationId: 'getDocs',
        summary: 'This document, to read and to try',
        description: 'Swagger UI, from this tracker alone.',
        caller: 'reader',
        responses: { 200: textAnswer('text/html', 'The page.') },
      },
    },
    '/docs/{file}': {
      get: {
        operationId: 'getDocsFile',
        summary: 'What the page is made of',
        description: 'Its scripts, styles and icons.',
        caller: 'reader',
        parameters: [
          { ...inPath('file', 'The file.', PAGE_FILES[0]), schema: { type: 'string', enum: PAGE_FILES } },
        ],
        responses: {
          200: {
            description: 'The file.',
            content: Object.fromEntries(
              ['text/css', 'text/javascript', 'application/javascript', 'image/png'].map((type) => [
                type,
                { schema: { type: 'string' } },
              ]),
            ),
          },
          ...faults(new NotFoundError('This path does not exist.')),
        },
      },
    },
  },
};
