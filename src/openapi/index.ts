/**
 * openapi: the words in which a room tells of its operations.
 *
 * Plain objects of OpenAPI 3.1, one `*.openapi.ts` beside each controller, composed into one document by api-docs. A
 * schema is tied to the interface it describes (`objectOf<NodeRow>({…})` doesn't compile without every key of it), an
 * example to its schema, and an error to what really answers it. Rejected, and why: docs/adr/0012-openapi-document.md.
 */
export { eventStream, json, jsonAnswer, JSON_TYPE, textAnswer, under } from './answers.js';
export { bodyFaults, ERROR, faults, pathFault, queryFault } from './faults.js';
export type {
  Answer,
  Answers,
  ApiPart,
  Caller,
  Content,
  Header,
  Headers,
  Media,
  Method,
  Operation,
  Parameter,
  PathItem,
} from './operation.js';
export { inPath, inQuery, modelQuery } from './parameters.js';
export {
  amount,
  COMPONENT,
  flag,
  listAnswerOf,
  listOf,
  literal,
  named,
  objectOf,
  oneOf,
  openObjectOf,
  optional,
  orNull,
  share,
  text,
  unionOf,
  whole,
  type ListAnswer,
  type Optional,
  type PropertiesOf,
  type Schema,
  type SchemaWords,
} from './schema.js';
export { EXAMPLE } from './example-mesh.js';
