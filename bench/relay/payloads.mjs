/** What clients ask and heads answer: a 400-byte prompt, a 600-byte reply, a stream of 64 chunks. */

export const REQUEST_JSON = requestBody(false);
export const REQUEST_STREAM = requestBody(true);

function requestBody(stream) {
  const body = { model: 'bench', stream, messages: [{ role: 'user', content: '' }] };
  const missing = 400 - JSON.stringify(body).length;
  body.messages[0].content = 'x'.repeat(missing);
  return JSON.stringify(body);
}

function whole() {
  const body = {
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 64, total_tokens: 164 },
  };
  body.choices[0].message.content = 'y'.repeat(600 - JSON.stringify(body).length);
  return JSON.stringify(body);
}

const WHOLE = whole();
export const JSON_ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${WHOLE.length}\r\n\r\n${WHOLE}`,
);

export const STREAM_START = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);

const TOKENS = 62;
const events = [
  ...Array.from({ length: TOKENS }, (_, at) => event({ choices: [choice({ content: `tok${at} ` })] })),
  event({
    choices: [choice({}, 'stop')],
    usage: { prompt_tokens: 100, completion_tokens: TOKENS, total_tokens: 100 + TOKENS },
  }),
  'data: [DONE]\n\n',
];
/** 64 events, each an HTTP chunk of its own, and the end. */
export const STREAM_CHUNKS = [
  ...events.map((text) => Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`)),
  Buffer.from('0\r\n\r\n'),
];

function choice(delta, finishReason = null) {
  return { index: 0, delta, finish_reason: finishReason };
}

function event(more) {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    ...more,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
