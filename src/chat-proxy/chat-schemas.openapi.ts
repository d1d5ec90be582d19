import { ERROR, flag, named, text, type Schema, type SchemaWords } from '../openapi/index.js';

/** What the tracker reads of a chat. All else is the head's business and passes untouched. */
export const CHAT_REQUEST: SchemaWords = named('ChatRequest', {
  type: 'object',
  description:
    'Any body that the head understands. Only these fields are the tracker’s; none of them may be given twice, and everything else (messages, prompt, tools, temperature, …) goes to the head as it came.',
  required: ['model'],
  properties: {
    model: text('The model; no control characters.', { minLength: 1, maxLength: 256 }),
    stream: { ...flag('Answer as server-sent events.'), type: ['boolean', 'null'], default: false },
    stream_options: {
      type: ['object', 'null'],
      description:
        'OpenAI’s. The tracker asks the head for usage in any case; the client sees it only if it asked.',
      properties: {
        include_usage: {
          ...flag('The last chunk before `[DONE]` tells the tokens.'),
          type: ['boolean', 'null'],
        },
      },
      additionalProperties: true,
    },
    route: {
      type: ['array', 'null'],
      description:
        'Pins the route, node by node; taken out before the body goes on. It must cover the model’s layers in order. A pinned call has no failover.',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      maxItems: 256,
    },
  },
  additionalProperties: true,
});

/** OpenAI's own objects: what is named here is what the tracker reads, the rest is the head's. */
export function headsAnswer(name: string, description: string): Schema<object> {
  return named(name, {
    type: 'object',
    description: `${description} Byte for byte the head’s: only what the tracker reads is described.`,
    properties: {
      id: { type: 'string' },
      object: { type: 'string' },
      created: { type: 'integer' },
      model: { type: 'string', description: 'What the head calls the model.' },
      choices: { type: 'array', items: { type: 'object', additionalProperties: true } },
      usage: {
        type: ['object', 'null'],
        properties: {
          prompt_tokens: { type: 'integer' },
          completion_tokens: { type: 'integer' },
          total_tokens: { type: 'integer' },
        },
        additionalProperties: true,
      },
    },
    additionalProperties: true,
  });
}

const HEADS_ERROR: SchemaWords = named('HeadsError', {
  type: 'object',
  description:
    'An error that a head answered with, as it is. Most have OpenAI’s shape too, with a code of their own; what is no JSON object is put into it.',
  additionalProperties: true,
});

/** An error object where an event's data is expected: the stream can't be finished. */
export const STREAM_ERROR: SchemaWords = {
  description: 'The last event of a stream that can’t be finished, the tracker’s or the head’s.',
  anyOf: [ERROR, HEADS_ERROR],
};

/** Ours where it is ours, else whatever the head said. */
export function orHeads(ours: SchemaWords): SchemaWords {
  return { anyOf: [ours, HEADS_ERROR] };
}

export { HEADS_ERROR };
