import { NotFoundError } from '../kernel/index.js';
import { faults, inPath, textAnswer, type ApiPart } from '../openapi/index.js';

const LOCATION = {
  location: {
    description: 'Where the page is.',
    required: true,
    schema: { type: 'string', const: 'dashboard' },
  },
};

export const dashboardApi: ApiPart = {
  tag: { name: 'Dashboard', description: 'The tracker, to look at.' },
  paths: {
    '/': {
      get: {
        operationId: 'getRoot',
        summary: 'To the dashboard',
        description: 'Whoever opens the tracker’s address in a browser wants to see something.',
        caller: 'anyone',
        responses: { 302: { ...textAnswer('text/plain', 'To the dashboard.'), headers: LOCATION } },
      },
    },
    '/dashboard': {
      get: {
        operationId: 'getDashboard',
        summary: 'The dashboard',
        description: 'One page; whatever it shows, it asks of the operations described here.',
        caller: 'anyone',
        responses: {
          200: textAnswer('text/html', 'The page.'),
          ...faults(new NotFoundError('The dashboard was not built: npm run build.')),
        },
      },
    },
    '/dashboard/assets/{name}': {
      get: {
        operationId: 'getDashboardAsset',
        summary: 'What the dashboard is made of',
        description: 'Its scripts, styles and icons. A name holds a hash of the content and never changes.',
        caller: 'anyone',
        parameters: [inPath('name', 'The file.', 'main-ABCDEFGH.js')],
        responses: {
          200: {
            description: 'The file.',
            headers: {
              'cache-control': {
                description: 'It never changes.',
                required: true,
                schema: { type: 'string', pattern: 'immutable' },
              },
            },
            content: Object.fromEntries(
              ['text/javascript', 'text/css', 'image/svg+xml'].map((type) => [
                type,
                { schema: { type: 'string' } },
              ]),
            ),
          },
          ...faults(new NotFoundError('This file is not part of the dashboard.')),
        },
      },
    },
  },
};
