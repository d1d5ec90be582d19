import type { ServerResponse } from 'node:http';

export const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };
export const DONE = 'data: [DONE]\n\n';

/** One SSE event with this JSON. */
export function event(payload: object): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

export function textChunk(text: string): string {
  return event({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: text } }],
  });
}

export function finishChunk(reason = 'stop'): string {
  return event({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: {}, finish_reason: reason }],
  });
}

export function usageChunk(completionTokens: number, promptTokens = 5): string {
  return event({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [],
    usage: usage(completionTokens, promptTokens),
  });
}

export function usage(completionTokens: number, promptTokens = 5): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** A whole answer of so many tokens. */
export function wholeChat(text = 'hello', completionTokens = 10): object {
  return {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: usage(completionTokens),
  };
}

export function sendJson(response: ServerResponse, status: number, body: object | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** A whole stream: the tokens, a finish reason, usage, `[DONE]`. */
export function sendStream(response: ServerResponse, tokens: readonly string[], withUsage = true): void {
  response.writeHead(200, SSE_HEADERS);
  response.end(
    [...tokens.map(textChunk), finishChunk(), withUsage ? usageChunk(tokens.length) : '', DONE].join(''),
  );
}

/** JSON or a stream, as the chat asked. */
export function sendChat(
  response: ServerResponse,
  chat: { readonly body: Buffer },
  tokens: readonly string[] = TEN,
): void {
  const { stream } = JSON.parse(chat.body.toString()) as { stream?: boolean };
  if (stream === true) sendStream(response, tokens);
  else sendJson(response, 200, wholeChat(tokens.join(''), tokens.length));
}

/** Enough tokens to be a sample. */
export const TEN: readonly string[] = Array.from({ length: 10 }, (_, at) => `t${String(at)} `);

/** A whole answer as it goes over the wire, for heads of raw bytes; `framing` in place of its true length. */
export function rawChat(framing?: readonly string[], body = JSON.stringify(wholeChat())): string {
  const framed = framing ?? [`content-length: ${String(Buffer.byteLength(body))}`];
  return ['HTTP/1.1 200 OK', 'content-type: application/json', ...framed, '', body].join('\r\n');
}
