/** One request of the recording. The answer to it becomes a file of this name. */
export interface RecordedCase {
  readonly name: string;
  readonly path: string;
  /** Text is sent as it is. */
  readonly body: object | string;
}

const CHAT = '/v1/chat/completions';
const LEGACY = '/v1/completions';
const WITH_USAGE = { stream: true, stream_options: { include_usage: true } };
const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** @param model null: the request names none */
export function casesOf(model: string | null): RecordedCase[] {
  const named = model === null ? {} : { model };
  const chat = (more: object): object => ({ ...named, ...sayHi(), temperature: 0, max_tokens: 5, ...more });
  const legacy = (more: object): object => ({
    ...named,
    prompt: 'Once upon',
    temperature: 0,
    max_tokens: 4,
    ...more,
  });
  const at = (name: string, path: string, body: object | string): RecordedCase => ({ name, path, body });
  return [
    at('chat-json', CHAT, chat({})),
    at('chat-stream', CHAT, chat({ stream: true })),
    at('chat-stream-usage', CHAT, chat(WITH_USAGE)),
    at('chat-json-n2', CHAT, chat({ n: 2, temperature: 1, seed: 1 })),
    at('chat-stream-usage-n2', CHAT, chat({ ...WITH_USAGE, n: 2, temperature: 1, seed: 1 })),
    at('chat-json-one-token', CHAT, chat({ max_tokens: 1 })),
    at('chat-stream-usage-one-token', CHAT, chat({ ...WITH_USAGE, max_tokens: 1 })),
    at('chat-json-schema', CHAT, chat({ response_format: { type: 'json_object' }, max_tokens: 8 })),
    at('chat-stream-tools', CHAT, chat({ ...WITH_USAGE, tools: [WEATHER], tool_choice: 'auto' })),
    at('legacy-json', LEGACY, legacy({})),
    at('legacy-stream', LEGACY, legacy({ stream: true })),
    at('legacy-stream-usage', LEGACY, legacy(WITH_USAGE)),
    at('image-json', CHAT, chat(anImage())),
    at('image-stream', CHAT, chat({ ...anImage(), stream: true })),
    at('too-long-json', CHAT, chat(sayHi(600))),
    at('too-long-stream', CHAT, chat({ ...sayHi(600), stream: true })),
    at('too-long-legacy-json', LEGACY, legacy({ prompt: 'word '.repeat(600) })),
    at('bad-type', CHAT, chat({ temperature: 'hot' })),
    at('bad-schema', CHAT, chat({ response_format: SCHEMA_OF_NO_TYPE })),
    at('malformed-json', CHAT, '{"messages": ['),
    at('unknown-path', '/v1/nothing', chat({})),
    at('no-embeddings', '/v1/embeddings', { ...named, input: 'hi' }),
  ];
}

/** Ends llama-cpp-python's process, so it comes last. */
export const BAD_GRAMMAR: RecordedCase = {
  name: 'bad-grammar',
  path: CHAT,
  body: { model: 'm', ...sayHi(), max_tokens: 5, grammar: 'root ::= (((' },
};

export const INTERRUPTED: RecordedCase = {
  name: 'interrupted',
  path: CHAT,
  body: { model: 'm', ...sayHi(30), temperature: 0, max_tokens: 100, stream: true },
};

const WEATHER = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const SCHEMA_OF_NO_TYPE = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'nonsense' } } };

function sayHi(words = 0): object {
  return { messages: [{ role: 'user', content: `Say hi. ${'word '.repeat(words)}` }] };
}

function anImage(): object {
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: ONE_PIXEL } },
  ];
  return { messages: [{ role: 'user', content: parts }] };
}
