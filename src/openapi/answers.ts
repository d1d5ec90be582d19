import type { Answer, Answers, Content, Example, Headers } from './operation.js';
import type { Schema, SchemaWords } from './schema.js';

export const JSON_TYPE = 'application/json';

/** A JSON body, with an example that the compiler holds to the schema's type. */
export function json<T>(schema: Schema<T>, example: NoInfer<T>): Content {
  return { [JSON_TYPE]: { schema, examples: { example: { value: example } } } };
}

export function jsonAnswer<T>(
  description: string,
  schema: Schema<T>,
  example: NoInfer<T>,
  headers?: Headers,
): Answer {
  return { description, ...(headers === undefined ? {} : { headers }), content: json(schema, example) };
}

/** The same answer under several statuses. */
export function under(statuses: readonly number[], answer: Answer): Answers {
  return Object.fromEntries(statuses.map((status) => [String(status), answer]));
}

export function textAnswer(type: string, description: string, examples: readonly string[] = []): Answer {
  return { description, content: { [type]: { schema: { type: 'string' }, ...examplesOf(examples) } } };
}

/**
 * A stream of events, each an `event:` name and JSON after `data:`.
 *
 * @param example the text of such a stream
 */
export function eventStream(
  description: string,
  events: Readonly<Record<string, SchemaWords>>,
  example: string,
  headers?: Headers,
): Answer {
  const media = { schema: { type: 'string' }, 'x-events': events, ...examplesOf([example]) };
  return {
    description,
    ...(headers === undefined ? {} : { headers }),
    content: { 'text/event-stream': media },
  };
}

function examplesOf(texts: readonly string[]): { examples?: Record<string, Example> } {
  const [value] = texts;
  return value === undefined ? {} : { examples: { example: { value } } };
}
