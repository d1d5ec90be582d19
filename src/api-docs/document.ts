import type { ApiPart, Caller, Operation, PathItem } from '../openapi/index.js';
import { Components } from './components.js';
import { ABOUT } from './about.js';

/** As it goes over the wire. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const SCHEMES = {
  clientKey: { type: 'http', scheme: 'bearer', description: 'One of `MESHNET_API_KEYS`.' },
  nodeToken: { type: 'http', scheme: 'bearer', description: 'One of `MESHNET_NODE_TOKENS`.' },
  adminKey: { type: 'http', scheme: 'bearer', description: 'One of `MESHNET_ADMIN_KEYS`.' },
  adminPassword: {
    type: 'http',
    scheme: 'basic',
    description: 'The same as a password, whatever the user’s name: for browsers and scrapers.',
  },
};

/** What a caller has to show, of alternatives one. */
const SECURITY: Readonly<Record<Caller, readonly object[]>> = {
  client: [{ clientKey: [] }, { adminKey: [] }],
  node: [{ nodeToken: [] }],
  operator: [{ adminKey: [] }],
  reader: [{ adminKey: [] }, { adminPassword: [] }],
  anyone: [],
};

/** The document of these rooms. */
export function openApiDocument(parts: readonly ApiPart[], version: string): OpenApiDocument {
  const components = new Components();
  const paths = Object.assign({}, ...parts.map((part) => components.refer(pathsOf(part)))) as Record<
    string,
    object
  >;
  return {
    openapi: '3.1.0',
    info: { title: 'Meshnet tracker', version, description: ABOUT },
    servers: [{ url: '/', description: 'This tracker.' }],
    security: [],
    tags: parts.map(({ tag }) => tag),
    paths,
    components: { schemas: components.schemas, securitySchemes: SCHEMES },
  };
}

function pathsOf({ tag, paths }: ApiPart): Record<string, object> {
  return mapValues(paths, (item: PathItem) =>
    mapValues(item, (operation: Operation) => operationOf(operation, tag.name)),
  );
}

function operationOf({ caller, ...operation }: Operation, tag: string): object {
  return { tags: [tag], ...operation, security: SECURITY[caller] };
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
