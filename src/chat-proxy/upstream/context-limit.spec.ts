import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  contextLimitOf,
  promptTokensOf,
  saysTooLong,
  speaksOfAnswer,
  type ContextLimit,
} from './context-limit.js';

interface Wording {
  readonly server: string;
  readonly message: string;
  readonly limit: number | null;
  readonly request: number | null;
}

function wording(server: string, message: string, limit: number | null, request: number | null): Wording {
  return { server, message, limit, request };
}

/** As these servers wrote them. */
const WORDINGS: readonly Wording[] = [
  wording(
    'llama.cpp',
    'request (601 tokens) exceeds the available context size (256 tokens), try increasing it',
    256,
    601,
  ),
  wording(
    'llama.cpp',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
    null,
    null,
  ),
  wording('llama.cpp', 'the request exceeds the available context size, try increasing it', null, null),
  wording(
    'llama-cpp-python',
    "This model's maximum context length is 512 tokens. However, you requested 639 tokens (634 in the messages, 5 in the completion). Please reduce the length of the messages or completion.",
    ...([512, 639] as const),
  ),
  wording(
    'llama-cpp-python',
    "This model's maximum context length is 512 tokens, however you requested 605 tokens (601 in your prompt; 4 for the completion). Please reduce your prompt; or completion length.",
    ...([512, 605] as const),
  ),
  wording('llama-cpp-python', 'Requested tokens (605) exceed context window of 512', 512, 605),
  wording(
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    ...([4096, 5000] as const),
  ),
  wording(
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (1000 > 4096 - 4000).",
    ...([4096, 4000] as const),
  ),
  wording(
    'vLLM',
    'The decoder prompt (length 8357) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ...([8192, 8357] as const),
  ),
  wording(
    'vLLM',
    "You passed 31745 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=31745)",
    ...([32768, 31745] as const),
  ),
  wording(
    'SGLang',
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    4096,
    5000,
  ),
  wording(
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4000 tokens from the input messages and 1000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    ...([4096, 5000] as const),
  ),
  wording(
    'SGLang',
    'Input length (5000 tokens) exceeds the maximum allowed length (4095 tokens). Use a shorter input or enable --allow-auto-truncate.',
    4095,
    5000,
  ),
  wording(
    'Ollama',
    'the prompt is longer than the context length currently available to the model',
    null,
    null,
  ),
  wording('LM Studio', 'Context size has been exceeded.', null, null),
  wording('SGLang', "Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330),
  wording('Ollama', 'the input length exceeds the context length', null, null),
  wording('Ollama', 'prompt too long; exceeded max context length by 1200 tokens', null, null),
  wording(
    'LM Studio',
    'Trying to keep the first 5210 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    ...([4096, 5210] as const),
  ),
  wording(
    'LM Studio',
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 4166>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
    ...([4096, 4166] as const),
  ),
  wording(
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    4096,
    5000,
  ),
  wording('TGI', 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1500', 1024, 1500),
  wording(
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8500 tokens.",
    8192,
    8500,
  ),
];

const OTHERS = [
  null,
  '',
  'invalid type for messages',
  "'temperature' must be at most 2",
  'max_tokens must be at least 1, got 0',
  'this image has too many pixels',
  'metadata.user exceeds the maximum allowed length (64)',
  'context',
  'tokens',
];

const NOTHING: ContextLimit = { limitTokens: null, requestTokens: null };

function lengths(body: string, message: string | null = null): ContextLimit {
  return contextLimitOf(Buffer.from(body), message);
}

describe('an error about the context’s length', () => {
  it.each(WORDINGS)('of $server is recognized: $message', ({ message }) => {
    expect(saysTooLong(message, [])).toBe(true);
    expect(saysTooLong(message.toUpperCase(), ['invalid_request_error'])).toBe(true);
  });

  it.each(['context_length_exceeded', 'exceed_context_size_error'])(
    'is recognized by the name %s',
    (name) => {
      expect(saysTooLong(null, [name])).toBe(true);
      expect(saysTooLong('see the log', ['invalid_request_error', name])).toBe(true);
    },
  );

  it.each(OTHERS)('is not "%s"', (message) => {
    expect(saysTooLong(message, ['invalid_request_error', '400'])).toBe(false);
    expect(contextLimitOf(Buffer.alloc(0), message)).toEqual(NOTHING);
  });
});

describe('the lengths in a message', () => {
  it.each(WORDINGS)('of $server are $limit and $request: $message', ({ message, limit, request }) => {
    expect(lengths('', message)).toEqual({ limitTokens: limit, requestTokens: request });
  });

  it.each([
    ['maximum context length is 0 tokens', null],
    ['maximum context length is 0, context size 64', 64],
    ['context size: 4096', 4096],
    ['context window=4096', 4096],
    ['context length of 999999999', 999_999_999],
  ])('"%s" hold the limit %j', (message, limit) => {
    expect(lengths('', message).limitTokens).toBe(limit);
  });

  it('that names the limit alone hold no request', () => {
    expect(lengths('', 'the input exceeds the context length (4096 tokens)').requestTokens).toBeNull();
    expect(lengths('', "This model's maximum context length is 4096 tokens.")).toEqual({
      limitTokens: 4096,
      requestTokens: null,
    });
  });
});

describe('the lengths in an error’s fields', () => {
  it('count before those in its message', () => {
    const message = 'request (601 tokens) exceeds the available context size (256 tokens), try increasing it';
    const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: 600, n_ctx: 255 };
    expect(lengths(JSON.stringify({ error }), message)).toEqual({ limitTokens: 255, requestTokens: 600 });
    expect(lengths(JSON.stringify({ error: { n_ctx: 255 } }), message)).toEqual({
      limitTokens: 255,
      requestTokens: 601,
    });
    expect(lengths(JSON.stringify({ error }))).toEqual({ limitTokens: 255, requestTokens: 600 });
  });

  it.each([0, -1, 1.5, '256', null, {}, 1e300])('are none where they are no counts: %j', (odd) => {
    expect(lengths(JSON.stringify({ error: { n_ctx: odd, n_prompt_tokens: odd } }))).toEqual(NOTHING);
  });

  it.each([
    '',
    '{',
    'null',
    '5',
    '[]',
    '"text"',
    '{}',
    '{"error":null}',
    '{"error":"n_ctx"}',
    '{"error":[256]}',
    '{"n_ctx":256}',
  ])('are none in the body %s', (body) => {
    expect(lengths(body)).toEqual(NOTHING);
  });
});

describe('the length of the prompt alone', () => {
  const promptOf = (message: string | null, error: unknown = null): number | null =>
    promptTokensOf(Buffer.from(JSON.stringify({ error })), message);

  it.each([
    ['you requested 639 tokens (634 in the messages, 5 in the completion)', 634],
    ['you requested 605 tokens (601 in your prompt; 4 for the completion)', 601],
    ['your request has 5000 input tokens', 5000],
    ['You passed 31745 input tokens and requested 1024 output tokens', 31745],
    ['request (601 tokens) exceeds the available context size (256 tokens)', 601],
    ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", 5000],
    ['Input length (5000 tokens) exceeds the maximum allowed length (4095 tokens).', 5000],
    ['The decoder prompt (length 8357) is longer than the maximum model length of 8192.', 8357],
    ['your messages resulted in 8500 tokens', 8500],
    ['(n_keep: 4166>= n_ctx: 4096)', 4166],
    ['Trying to keep the first 5210 tokens when context the overflows', 5210],
  ])('is named in "%s": %i', (message, tokens) => {
    expect(promptOf(message)).toBe(tokens);
  });

  it.each([
    null,
    '',
    'you requested 639 tokens',
    'prompt too long; exceeded max context length by 1200 tokens',
    'maximum context length is 4096 tokens',
    'the input length exceeds the context length',
  ])('is not named in "%s"', (message) => {
    expect(promptOf(message)).toBeNull();
  });

  it('is that of the error’s field first', () => {
    expect(promptOf('your request has 5000 input tokens', { n_prompt_tokens: 600 })).toBe(600);
    expect(promptOf(null, { n_prompt_tokens: 600 })).toBe(600);
    expect(promptOf('your request has 5000 input tokens', { n_prompt_tokens: 0 })).toBe(5000);
  });
});

describe('an error about the answer’s length', () => {
  it.each([
    ["'max_tokens' is too large: 1000", true],
    ['max_completion_tokens is too large', true],
    ['`inputs` tokens + `max_new_tokens` must be <= 4096', true],
    ['1000 tokens for the completion', true],
    ['requested 1024 output tokens', true],
    ['request (601 tokens) exceeds the available context size (256 tokens), try increasing it', false],
    ['', false],
    [null, false],
  ])('is "%s": %j', (message, isIt) => {
    expect(speaksOfAnswer(message)).toBe(isIt);
  });
});

describe('a long text', () => {
  const SIZE = 100_000;
  const repeated = (part: string): string => part.repeat(Math.ceil(SIZE / part.length));

  it.each([
    repeated('9'),
    repeated('context length '),
    repeated('maximum context length is '),
    repeated('exceeds the available '),
    repeated('requested about tokens '),
    repeated('request has ((( '),
    repeated(' '),
    repeated('9 '),
    repeated('given: '),
    repeated('input ('),
    `${repeated('a')} maximum context length is 5 tokens`,
  ])('is read in its first part only: %.20s', (text) => {
    const first = text.slice(0, 2048);
    expect(saysTooLong(text, [])).toBe(saysTooLong(first, []));
    expect(lengths('', text)).toEqual(lengths('', first));
    expect(lengths(text, text)).toEqual(lengths('', first));
    expect(promptTokensOf(Buffer.alloc(0), text)).toBe(promptTokensOf(Buffer.alloc(0), first));
    expect(speaksOfAnswer(text)).toBe(speaksOfAnswer(first));
  });

  it('hides what stands behind its first 2,048 characters', () => {
    const behind = `${'a'.repeat(2048)}maximum context length is 5`;
    expect([saysTooLong(behind, []), lengths('', behind)]).toEqual([false, NOTHING]);
    expect(saysTooLong(`${'a'.repeat(1024)}maximum context length`, [])).toBe(true);
  });
});

describe('any text', () => {
  const word = fc.constantFrom(
    ...[
      'context length',
      'of',
      'only',
      'maximum context length is',
      'requested',
      'tokens',
      'input (',
      'given:',
      '<=',
    ],
    ...['9', '12', '4096', '999999999999', '0', '(', ':', '=', ' ', '\n', 'must be', 'less than'],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
  );

  it('gives lengths that are counts of tokens, or none', () => {
    fc.assert(
      fc.property(text, fc.oneof(text, fc.json()), (message, body) => {
        for (const length of Object.values(lengths(body, message)) as (number | null)[]) {
          expect(length === null || (Number.isSafeInteger(length) && length > 0)).toBe(true);
        }
        expect(typeof saysTooLong(message, [])).toBe('boolean');
      }),
    );
  });
});
