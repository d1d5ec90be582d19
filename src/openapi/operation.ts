import type { SchemaWords } from './schema.js';

/** Who an operation is for. Which of them has to show a key is said once, where the document is composed. */
export type Caller = 'client' | 'node' | 'operator' | 'reader' | 'anyone';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: SchemaWords;
  readonly example?: unknown;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface Media {
  readonly schema: SchemaWords;
  readonly examples?: Readonly<Record<string, Example>>;
  /** Of `text/event-stream`: the JSON after `data:`, by the event's name. */
  readonly 'x-events'?: Readonly<Record<string, SchemaWords>>;
}

export type Content = Readonly<Record<string, Media>>;

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: SchemaWords;
}

export type Headers = Readonly<Record<string, Header>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

/** By status; `4XX` stands for all that aren't named. */
export type Answers = Readonly<Record<string, Answer>>;

/** An operation in OpenAPI's own words, but for `caller`. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly caller: Caller;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly description: string;
    readonly required: boolean;
    readonly content: Content;
  };
  readonly responses: Answers;
}

export type Method = 'get' | 'head' | 'post' | 'put' | 'delete';
export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

/** What one room adds to the document. */
export interface ApiPart {
  readonly tag: { readonly name: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
}
