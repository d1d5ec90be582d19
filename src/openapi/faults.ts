import { toHttpFault, type HttpFault, type OpenAiErrorBody } from '../http/index.js';
import { InvalidRequestError } from '../kernel/index.js';
import { JSON_TYPE } from './answers.js';
import type { Answer, Answers, Header } from './operation.js';
import { named, objectOf, orNull, text, type SchemaWords } from './schema.js';

const TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'rate_limit_error',
  'server_error',
];

/** OpenAI's error object, whatever went wrong. */
export const ERROR = named(
  'Error',
  objectOf<OpenAiErrorBody>('What went wrong, in the shape that OpenAI’s clients know.', {
    error: objectOf<OpenAiErrorBody['error']>('The fault.', {
      message: text('For people. Never repeats what was sent.'),
      type: text('The family of the fault, by its status.', { enum: TYPES }),
      param: orNull(text('The field or parameter at fault.'), 'none in particular'),
      code: orNull(text('For programs; stays the same from version to version.'), 'a node gave none'),
    }),
  }),
);

const SAID: Readonly<Record<number, string>> = {
  400: 'Something in the request can’t be understood; nothing was done.',
  403: 'It may not do this; nothing was done.',
  404: 'It does not exist.',
  409: 'It contradicts what is known already; nothing was done.',
  413: 'The body is too long.',
  415: 'The body comes in an encoding that is not supported.',
  422: 'What is remembered is too little to answer from.',
  429: 'Too much at once, of the mesh or of this caller: later.',
  502: 'A node, or the way to it, failed.',
  503: 'Not now.',
  504: 'A node took longer than a setting allows.',
};

const RETRY_AFTER: Header = {
  description: 'Seconds after which trying again makes sense.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};

/**
 * The answers to what may be thrown. Status, code, headers and example are those that {@link toHttpFault} gives to
 * such a fault, so they can't be others than what a client sees.
 */
export function faults(...thrown: readonly unknown[]): Answers {
  const byStatus = new Map<number, HttpFault[]>();
  for (const fault of thrown.map(toHttpFault)) {
    byStatus.set(fault.status, [...(byStatus.get(fault.status) ?? []), fault]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, given]) => [String(status), answerOf(status, given)]),
  );
}

/** What the parser of JSON bodies may say; the text is this service's own. */
export function bodyFaults(): readonly unknown[] {
  return [
    parserFault(400, 'entity.parse.failed'),
    parserFault(413, 'entity.too.large'),
    parserFault(415, 'encoding.unsupported'),
  ];
}

/** Of a parameter that was given twice. */
export function queryFault(name: string): InvalidRequestError {
  return new InvalidRequestError(`${name} must be given once, as plain text.`, name);
}

/** A path whose percent signs don't encode anything. */
export function pathFault(): unknown {
  return parserFault(400, 'path');
}

function parserFault(status: number, type: string): Error {
  return Object.assign(new Error(type), { status, type });
}

function answerOf(status: number, given: readonly HttpFault[]): Answer {
  const codes = [...new Set(given.map(({ body }) => body.error.code ?? ''))];
  const retries = given.some(({ headers }) => 'retry-after' in headers);
  return {
    description: `${SAID[status] ?? ''} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...(retries ? { headers: { 'retry-after': RETRY_AFTER } } : {}),
    content: { [JSON_TYPE]: { schema: withCodes(codes), examples: examplesOf(given) } },
  };
}

function withCodes(codes: readonly string[]): SchemaWords {
  const code: SchemaWords = { type: 'string', enum: codes };
  const error: SchemaWords = { type: 'object', properties: { code } };
  return { type: 'object', allOf: [ERROR, { type: 'object', properties: { error } }] };
}

function examplesOf(
  given: readonly HttpFault[],
): Record<string, { summary: string; value: OpenAiErrorBody }> {
  return Object.fromEntries(
    given.map(({ body }, at) => {
      const name = body.error.code ?? 'error';
      const isTaken = given.findIndex((other) => other.body.error.code === body.error.code) < at;
      return [isTaken ? `${name}_${String(at + 1)}` : name, { summary: body.error.message, value: body }];
    }),
  );
}
