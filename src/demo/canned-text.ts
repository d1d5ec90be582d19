import { createHash } from 'node:crypto';

/** What OpenAI clients send as `messages`; `content` may be text or parts, of which the text ones are read. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

/** An answer in pieces; `finishReason` is `length` when `maxTokens` cut it. */
export interface CannedAnswer {
  readonly tokens: readonly string[];
  readonly finishReason: 'stop' | 'length';
}

export const DEFAULT_MAX_TOKENS = 32;

const PASSAGES = [
  'A route is a chain of hops, and each hop runs its own layers once. The first hop is the head: it reads the prompt, embeds each token and hands the state on.',
  'Nobody knows beforehand which route is fast. A benchmark does not see the network, the queue or the experts still on disk, so the tracker measures real chats.',
  'Some chats are scouts. They go where little is known, and what they learn decides where the next ones travel. A stale number is worth less than a fresh one.',
  'The mesh changes all the time: a node joins, another leaves, a third takes other layers. Each change starts a new epoch, and every route has to prove itself again.',
  'A slow machine with all the layers may beat a fast one with half of them, or lose to it. Only the stopwatch can tell, and it is read at the end of the route.',
  'When a hop fails, the head says which. The others keep their good name, the chat takes another route, and the reader sees no more than a short pause.',
];

/** After so many rounds through the passages the text ends: about 4,400 tokens, so that it ends at all. */
const ROUNDS = 25;

const ROUND = PASSAGES.map((passage) => piecesOf(` ${passage}`));

/**
 * The same prompt always gets the same text: it picks the passage to begin with, the others follow in a circle.
 */
export function cannedAnswer(prompt: string, maxTokens: number): CannedAnswer {
  const first = createHash('sha256').update(prompt).digest().readUInt32BE() % PASSAGES.length;
  const round = [...ROUND.slice(first), ...ROUND.slice(0, first)].flat();
  const length = Math.min(maxTokens, round.length * ROUNDS);
  const tokens = Array.from({ length }, (_, i) => round[i % round.length] ?? '');
  tokens[0] = (round[0] ?? '').trimStart();
  return { tokens, finishReason: length < round.length * ROUNDS ? 'length' : 'stop' };
}

/** The whole text that a route in order gives to a prompt or a chat. */
export function expectedText(
  prompt: string | readonly ChatMessage[],
  maxTokens: number = DEFAULT_MAX_TOKENS,
): string {
  return cannedAnswer(typeof prompt === 'string' ? prompt : promptOf(prompt), maxTokens).tokens.join('');
}

/** All text of a chat as one prompt, one message a line. */
export function promptOf(messages: readonly ChatMessage[]): string {
  return messages.map((message) => textOf(message.content)).join('\n');
}

/** Tokens of a prompt, near enough: its words, at least one. */
export function countPromptTokens(prompt: string): number {
  return Math.max(1, prompt.match(/\S+/g)?.length ?? 0);
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join(' ');
}

function piecesOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}
