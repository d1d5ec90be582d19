import {
  EXAMPLE,
  eventStream,
  JSON_TYPE,
  type Answer,
  type ApiPart,
  type Operation,
  type Parameter,
  type PathItem,
  type SchemaWords,
} from '../openapi/index.js';
import { CHAT_FAULTS, SERVED } from './chat-answers.openapi.js';
import type { ChatPath } from '../http/index.js';
import { CHAT_REQUEST, headsAnswer, STREAM_ERROR } from './chat-schemas.openapi.js';

const GIVEN_ID: Parameter = {
  name: 'x-request-id',
  in: 'header',
  description:
    'An id of the client’s own; up to 128 letters, digits and `. : @ / + = _ -`. Another one is replaced.',
  schema: { type: 'string', pattern: '^[\\w.:@/+=-]{1,128}$' },
};

/** W3C Trace Context: goes on to the head, by way of our spans where they are on. */
const TRACE: readonly Parameter[] = [
  {
    name: 'traceparent',
    in: 'header',
    description:
      'The client’s span (W3C Trace Context). Reaches the head if it is sound, else it is dropped.',
    schema: { type: 'string' },
  },
  {
    name: 'tracestate',
    in: 'header',
    description: 'Goes with a sound `traceparent`.',
    schema: { type: 'string' },
  },
];

const created = Math.floor(EXAMPLE.atMs / 1000);
const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const frame = { id: 'chatcmpl-1', created, model: EXAMPLE.model };

function events(...payloads: readonly object[]): string {
  return [...payloads.map((payload) => JSON.stringify(payload)), '[DONE]']
    .map((line) => `data: ${line}\n\n`)
    .join('');
}

/** How one of the two kinds of chat differs from the other. */
interface Kind {
  readonly told: Pick<Operation, 'operationId' | 'summary'>;
  readonly asks: object;
  readonly whole: SchemaWords;
  readonly wholeExample: object;
  readonly chunk: SchemaWords;
  readonly stream: string;
}

function served({ whole, wholeExample, chunk, stream }: Kind): Answer {
  const streamed = eventStream('', { message: { anyOf: [chunk, STREAM_ERROR] } }, stream);
  return {
    description:
      'The head’s answer, byte for byte. Streamed: an event without a name for each chunk, `data: [DONE]` last; comments in between keep a silent stream alive. A stream that can’t be finished ends with an error object as its last event.',
    headers: SERVED,
    content: {
      [JSON_TYPE]: { schema: whole, examples: { example: { value: wholeExample } } },
      ...streamed.content,
    },
  };
}

function operation(kind: Kind): Operation {
  return {
    ...kind.told,
    description:
      'Goes to the head of a route that the policy chooses, or that `route` pins. Until the client has had a data event, up to `MESHNET_MAX_ATTEMPTS` routes are tried; when every node is full the call waits. The client’s `Authorization` and cookies stay here.',
    caller: 'client',
    parameters: [GIVEN_ID, ...TRACE],
    requestBody: {
      description: 'As OpenAI’s, and `route`.',
      required: true,
      content: {
        [JSON_TYPE]: {
          schema: CHAT_REQUEST,
          examples: {
            plain: { value: { model: EXAMPLE.model, stream: true, ...kind.asks } },
            pinned: { value: { model: EXAMPLE.model, route: [EXAMPLE.gpu, EXAMPLE.cpu], ...kind.asks } },
          },
        },
      },
    },
    responses: { 200: served(kind), ...CHAT_FAULTS },
  };
}

const chat: Kind = {
  told: { operationId: 'createChatCompletion', summary: 'Chat' },
  asks: { messages: [{ role: 'user', content: 'Which way is the fastest?' }] },
  whole: headsAnswer('ChatCompletion', 'OpenAI’s chat completion.'),
  wholeExample: {
    ...{ ...frame, object: 'chat.completion', usage },
    choices: [{ index: 0, message: { role: 'assistant', content: 'This one.' }, finish_reason: 'stop' }],
  },
  chunk: headsAnswer('ChatCompletionChunk', 'One chunk of a streamed chat.'),
  stream: events(
    {
      ...{ ...frame, object: 'chat.completion.chunk' },
      choices: [{ index: 0, delta: { content: 'This one.' }, finish_reason: null }],
    },
    {
      ...{ ...frame, object: 'chat.completion.chunk' },
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    },
  ),
};

const completion: Kind = {
  told: { operationId: 'createCompletion', summary: 'Complete a text' },
  asks: { prompt: 'The fastest way is' },
  whole: headsAnswer('Completion', 'OpenAI’s text completion.'),
  wholeExample: {
    ...{ ...frame, object: 'text_completion', usage },
    choices: [{ index: 0, text: ' this one.', finish_reason: 'stop' }],
  },
  chunk: headsAnswer('CompletionChunk', 'One chunk of a streamed completion.'),
  stream: events({
    ...{ ...frame, object: 'text_completion' },
    choices: [{ index: 0, text: ' this one.', finish_reason: 'stop' }],
  }),
};

const paths: Readonly<Record<ChatPath, PathItem>> = {
  '/v1/chat/completions': { post: operation(chat) },
  '/v1/completions': { post: operation(completion) },
};

export const chatApi: ApiPart = {
  tag: { name: 'Chats', description: 'As OpenAI’s: point any client at `/v1`.' },
  paths,
};
