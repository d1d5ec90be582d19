import type { Parameter } from './operation.js';
import type { SchemaWords } from './schema.js';

export function inPath(name: string, description: string, example: string): Parameter {
  return { name, in: 'path', description, required: true, schema: { type: 'string', minLength: 1 }, example };
}

/** One that may be left out has no example: the page would send it along. */
export function inQuery(name: string, description: string, schema: SchemaWords): Parameter {
  return { name, in: 'query', description, schema };
}

/** `?model=`, where it only picks some of the rows. */
export function modelQuery(description: string): Parameter {
  return inQuery('model', description, { type: 'string' });
}
