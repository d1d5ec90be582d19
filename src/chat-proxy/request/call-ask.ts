import type { CallStart } from '../../node-speeds/index.js';
import type { ChatRequest } from './chat-request.js';

/** Of JSON around text in most languages; what heads count corrects it where it is wrong. */
const BYTES_PER_TOKEN = 4;

/** What a chat asks of a route, as far as it can be told from its body. */
export function askOf({ body, mostOutputTokens, stream }: ChatRequest): CallStart {
  return { promptTokens: body.length / BYTES_PER_TOKEN, mostOutputTokens, isStream: stream };
}
