import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/api-docs/index.js';
import type { Reply } from './http-client.js';

/** Parts of the document as JSON has them. */
export interface DocumentedMedia {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly 'x-events'?: Readonly<Record<string, object>>;
}

export interface DocumentedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>;
  readonly content?: Readonly<Record<string, DocumentedMedia>>;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, DocumentedMedia>> };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

export interface Documented {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

const EVENT_STREAM = 'text/event-stream';
const REF = '"#/components/schemas/';
/** Headers by which the tracker says something of its own: none may be sent that isn't documented. */
const OURS = /^(x-request-id|x-meshnet-.*|x-should-retry|retry-after|location)$/;

/** The document as something that answers can be held to. */
export class ApiContract {
  readonly operations: readonly Documented[];
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true });
  /** Of headers, which are text whatever they say. */
  private readonly lenient = new Ajv2020({ strict: true, coerceTypes: true });

  constructor(document: OpenApiDocument) {
    const { paths, components } = absolute(document) as OpenApiDocument;
    for (const ajv of [this.ajv, this.lenient]) {
      (formats as unknown as (ajv: unknown) => void)(ajv);
      ajv.addKeyword('example');
      ajv.addSchema({ $id: 'openapi', $defs: components.schemas });
    }
    this.operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, DocumentedOperation>).map(([method, operation]) => ({
        method,
        path,
        operation,
      })),
    );
  }

  operation(operationId: string): DocumentedOperation {
    const found = this.operations.find(({ operation }) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`no operation ${operationId} is documented`);
    return found.operation;
  }

  /** What is wrong with a value, by the schema; nothing where it fits. Throws where the schema itself is none. */
  wrongs(schema: object, value: unknown): string[] {
    return wrongsOf(this.ajv.compile(schema), value);
  }

  /** What in an answer is not as documented. */
  wrongsOfReply(operationId: string, reply: Reply): string[] {
    const answer = this.answerTo(operationId, reply.status);
    if (answer === undefined) return [`status ${String(reply.status)} is not documented: ${reply.text}`];
    return [...this.wrongHeaders(answer, reply), ...this.wrongContent(answer, reply)];
  }

  /** The answer that the document gives for a status: its own, else its family's. */
  answerTo(operationId: string, status: number): DocumentedAnswer | undefined {
    const { responses } = this.operation(operationId);
    return responses[String(status)] ?? responses[`${String(Math.floor(status / 100))}XX`];
  }

  private wrongHeaders({ headers = {} }: DocumentedAnswer, reply: Reply): string[] {
    const missing = Object.entries(headers)
      .filter(([name, { required }]) => required === true && reply.headers[name] === undefined)
      .map(([name]) => `the header ${name} is missing`);
    const untold = Object.keys(reply.headers)
      .filter((name) => OURS.test(name) && headers[name] === undefined)
      .map((name) => `the header ${name} is not documented`);
    const wrong = Object.entries(headers).flatMap(([name, { schema }]) => {
      const value = reply.headers[name];
      if (value === undefined) return [];
      return wrongsOf(this.lenient.compile(inObject(schema)), { value }).map((said) => `${name}: ${said}`);
    });
    return [...missing, ...untold, ...wrong];
  }

  private wrongContent({ content }: DocumentedAnswer, reply: Reply): string[] {
    if (content === undefined) return reply.text === '' ? [] : ['there is a body, and none is documented'];
    const type = typeOf(reply);
    if (type === EVENT_STREAM) return this.wrongEvents(content, reply.text);
    const media = content[type];
    if (media === undefined) return [`the type ${type} is not documented`];
    if (type !== 'application/json') return reply.text === '' ? ['there is no body'] : [];
    return this.wrongs(media.schema, JSON.parse(reply.text));
  }

  /** Each event's data by the schema of its name; events without one are called `message`. */
  wrongEvents(content: Readonly<Record<string, DocumentedMedia>>, text: string): string[] {
    const events = content[EVENT_STREAM]?.['x-events'];
    if (events === undefined) return ['a stream is not documented'];
    return blocksOf(text).flatMap(({ name, data }) => {
      const schema = events[name];
      if (schema === undefined) return [`the event ${name} is not documented`];
      return data === '[DONE]' ? [] : this.wrongs(schema, JSON.parse(data));
    });
  }
}

/** Names of the events of a stream that is complete up to its last blank line. */
export function eventNames(text: string): string[] {
  return blocksOf(text).map(({ name }) => name);
}

function blocksOf(text: string): { name: string; data: string }[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => ({ name: /^event: (.*)$/m.exec(block)?.[1] ?? 'message', data: dataLine(block) }))
    .filter((block): block is { name: string; data: string } => block.data !== null);
}

function dataLine(block: string): string | null {
  return /^data: (.*)$/m.exec(block)?.[1] ?? null;
}

function typeOf({ headers }: Reply): string {
  return (headers['content-type'] ?? '').replace(/\s*;.*/, '');
}

function inObject(schema: object): object {
  return { type: 'object', properties: { value: schema } };
}

/** References that can be followed from any schema of the document, taken by itself. */
function absolute(document: object): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll(REF, '"openapi#/$defs/'));
}

function wrongsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath === '' ? '/' : instancePath, message, JSON.stringify(params)].join(' '),
  );
}
