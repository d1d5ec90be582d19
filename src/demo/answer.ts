import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { toFault } from './node-faults.js';
import { sendJson } from './node-http.js';
import {
  finishChunk,
  roleChunk,
  tokenChunk,
  usageChunk,
  usageOf,
  wholeAnswer,
  type AnswerFrame,
} from './openai-shapes.js';

/** An answer under way: `tokens` come as the route gives them. */
export interface Answer {
  readonly frame: AnswerFrame;
  readonly tokens: AsyncGenerator<string, void>;
  readonly promptTokens: number;
  readonly finishReason: string;
}

/** Gathers the whole answer, then sends it. */
export async function answerWhole(res: ServerResponse, answer: Answer): Promise<void> {
  const texts: string[] = [];
  for await (const token of answer.tokens) texts.push(token);
  const usage = usageOf(answer.promptTokens, texts.length);
  sendJson(res, 200, wholeAnswer(answer.frame, texts.join(''), answer.finishReason, usage));
}

/**
 * Streams the answer, one chunk a token. Nothing is sent before the first token is there, so that a route which
 * fails until then can still say so by its status; later it says so in an event and ends without `[DONE]`.
 */
export async function answerStreamed(res: ServerResponse, answer: Answer, left: AbortSignal): Promise<void> {
  const first = await answer.tokens.next();
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  try {
    await sendChunks(res, answer, first.done === true ? null : first.value, left);
    res.end('data: [DONE]\n\n');
  } catch (fault) {
    left.throwIfAborted();
    res.end(event(toFault(fault).toBody()));
    throw fault;
  } finally {
    await answer.tokens.return();
  }
}

async function sendChunks(
  res: ServerResponse,
  { frame, tokens, promptTokens, finishReason }: Answer,
  first: string | null,
  left: AbortSignal,
): Promise<void> {
  let count = 0;
  const send = async (chunk: object) => {
    if (!res.write(event(chunk))) await once(res, 'drain', { signal: left });
  };
  const sendToken = async (token: string) => {
    count += 1;
    await send(tokenChunk(frame, token));
  };
  if (frame.kind === 'chat') await send(roleChunk(frame));
  if (first !== null) await sendToken(first);
  for await (const token of tokens) await sendToken(token);
  await send(finishChunk(frame, finishReason));
  if (frame.withUsage) await send(usageChunk(frame, usageOf(promptTokens, count)));
}

function event(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}
