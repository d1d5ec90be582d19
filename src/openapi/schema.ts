/**
 * Schemas of OpenAPI 3.1 (JSON Schema 2020-12), tied to the interfaces they describe: `Schema<T>` is plain JSON that
 * the compiler takes for T's only. A key that is missing, one too many, a null that isn't told, a name left out of an
 * enumeration: none compiles.
 */

declare const DESCRIBES: unique symbol;
/** Under which name a schema stands in the document's components; see {@link named}. */
export const COMPONENT: unique symbol = Symbol('component');

/** The words of JSON Schema that the document uses. */
export interface SchemaWords {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly const?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: SchemaWords;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, SchemaWords>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaWords;
  readonly anyOf?: readonly SchemaWords[];
  readonly allOf?: readonly SchemaWords[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly [COMPONENT]?: string;
}

/** A schema of exactly T: neither of more nor of less. */
export interface Schema<T> extends SchemaWords {
  readonly [DESCRIBES]?: (value: T) => T;
}

/** A property that may be left out. */
export interface Optional<T> {
  readonly optional: Schema<T>;
}

/** A schema for each key of T. */
export type PropertiesOf<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? Optional<Required<T>[K]> : Schema<T[K]>;
};

export function text(description: string, more: SchemaWords = {}): Schema<string> {
  return { type: 'string', description, ...more };
}

export function literal<V extends string>(value: V): Schema<V> {
  return { type: 'string', const: value };
}

/** One of these names, each with what it means. */
export function oneOf<V extends string>(description: string, names: Readonly<Record<V, string>>): Schema<V> {
  const lines = Object.entries<string>(names).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);
  return { type: 'string', description: [description, '', ...lines].join('\n'), enum: Object.keys(names) };
}

/** A whole number from 0, unless `more` says otherwise. */
export function whole(description: string, more: SchemaWords = {}): Schema<number> {
  return { type: 'integer', description, minimum: 0, ...more };
}

/** A finite number from 0, unless `more` says otherwise. */
export function amount(description: string, more: SchemaWords = {}): Schema<number> {
  return { type: 'number', description, minimum: 0, ...more };
}

export function share(description: string): Schema<number> {
  return amount(description, { maximum: 1 });
}

export function flag(description: string): Schema<boolean> {
  return { type: 'boolean', description };
}

export function listOf<T>(
  description: string,
  items: Schema<T>,
  more: SchemaWords = {},
): Schema<readonly T[]> {
  return { type: 'array', description, items, ...more };
}

/** T, or null where `meaning` says. */
export function orNull<T>(schema: Schema<T>, meaning: string): Schema<T | null> {
  const description = `${schema.description ?? ''} null: ${meaning}.`.trimStart();
  const { type } = schema;
  if (typeof type !== 'string' || schema[COMPONENT] !== undefined) {
    return { description, anyOf: [schema, { type: 'null' }] };
  }
  const names = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...(schema as SchemaWords), ...names, type: [type, 'null'], description };
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** An object of ours: whatever isn't named here is not in it. */
export function objectOf<T extends object>(description: string, properties: PropertiesOf<T>): Schema<T> {
  return { ...objectWords(description, properties), additionalProperties: false };
}

/** An object of which only these properties are ours to describe. */
export function openObjectOf<T extends object>(description: string, properties: PropertiesOf<T>): Schema<T> {
  return { ...objectWords(description, properties), additionalProperties: true };
}

/** One of several objects, told apart by their `type`. */
export function unionOf<T extends { readonly type: string }>(
  description: string,
  members: { readonly [K in T['type']]: Schema<Extract<T, { readonly type: K }>> },
): Schema<T> {
  return { description, anyOf: Object.values<SchemaWords>(members) };
}

/** `{"object":"list","data":[…]}` */
export function listAnswerOf<T>(description: string, item: Schema<T>): Schema<ListAnswer<T>> {
  return objectOf<ListAnswer<T>>(description, {
    object: literal('list'),
    data: listOf('The rows.', item),
  });
}

export interface ListAnswer<T> {
  readonly object: 'list';
  readonly data: readonly T[];
}

/** Makes it one of the document's components, told once and referred to by name. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { ...schema, [COMPONENT]: name };
}

function objectWords<T>(description: string, properties: PropertiesOf<T>): SchemaWords {
  const entries = Object.entries(properties as Record<string, SchemaWords | Optional<unknown>>);
  return {
    type: 'object',
    description,
    required: entries.flatMap(([name, property]) => ('optional' in property ? [] : [name])),
    properties: Object.fromEntries(
      entries.map(([name, property]) => [name, 'optional' in property ? property.optional : property]),
    ),
  };
}
