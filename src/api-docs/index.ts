/**
 * api-docs: the whole HTTP interface in one OpenAPI 3.1 document, and a page to read and try it.
 *
 * `document.ts` composes what each room tells of its own operations (its `*.openapi.ts`: a second face, which nobody
 * else enters), `GET /openapi.json` gives it away, `GET /docs` shows it with Swagger UI. All of that is loaded when
 * somebody first asks for it. docs/openapi.json is a
 * copy that a test holds to the code. Why by hand and not by decorators: docs/adr/0012-openapi-document.md.
 */
export { ApiDocsModule } from './api-docs.module.js';
export type { OpenApiDocument } from './document.js';
export { wholeDocument } from './whole-document.js';
