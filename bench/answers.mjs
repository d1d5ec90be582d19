/** The text of every whole answer of a good head, in its tokens. */
export const TOKENS = Array.from({ length: 12 }, (_, at) => `word${at} `);
export const TEXT = TOKENS.join('');

const USAGE = { prompt_tokens: 5, completion_tokens: TOKENS.length, total_tokens: 5 + TOKENS.length };

export const JSON_TYPE = 'content-type: application/json';
export const SSE_TYPE = 'content-type: text/event-stream';

export function event(payload) {
  return `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`;
}

export function deltaEvent(content) {
  return event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] });
}

export const FINISH = event({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
});
export const ABORT = event({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'abort' }] });
export const ROLE = event({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });
export const EMPTY_JSON = {
  choices: [{ index: 0, message: { content: '' }, finish_reason: 'stop' }],
  usage: USAGE,
};
export const USAGE_EVENT = event({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: USAGE });
export const DONE = event('[DONE]');
/** The events of a whole stream. */
export const EVENTS = [...TOKENS.map(deltaEvent), FINISH, USAGE_EVENT, DONE];

export const WHOLE_JSON = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: USAGE,
});

export function errorJson(message, more = {}) {
  return JSON.stringify({ error: { message, type: 'server_error', param: null, code: null, ...more } });
}

export function headLines(status, ...headers) {
  return [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
}

export function withLength(status, body, ...headers) {
  return headLines(status, `content-length: ${Buffer.byteLength(body)}`, ...headers) + body;
}

export function chunk(text) {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

export const LAST_CHUNK = '0\r\n\r\n';
export const SSE_START = headLines('200 OK', SSE_TYPE, 'transfer-encoding: chunked');

/** A good answer, as the chat asked for it. */
export function answerWell({ socket, isStream, done }) {
  socket.write(
    isStream ? SSE_START + chunk(EVENTS.join('')) + LAST_CHUNK : withLength('200 OK', WHOLE_JSON, JSON_TYPE),
  );
  done();
}
