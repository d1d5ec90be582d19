import { dataOf, type Reply } from '../../support/http-client.js';
import { aChat } from '../../support/whole-model.js';

/** A chat whose answer takes all of its tokens: these weights tell a story for longer. */
export function aStory(tokens: number, more: object = {}): object {
  return aChat({
    messages: [{ role: 'user', content: 'Write a very long story about a dog.' }],
    temperature: 0,
    max_tokens: tokens,
    ...more,
  });
}

/** How a stream ended for its client. `cut` is what no client may get. */
export type StreamEnd = 'whole' | 'error' | 'cut';

export function streamEnd({ status, text }: Pick<Reply, 'status' | 'text'>): StreamEnd {
  if (status !== 200) return 'error';
  const chunks = chunksOf(text);
  if (chunks.some(({ error }) => error !== undefined)) return 'error';
  return chunks.some(({ choices }) => typeof choices?.[0]?.finish_reason === 'string') ? 'whole' : 'cut';
}

/** What the choices of a stream say, in one string. */
export function textOf(stream: string): string {
  const deltas = chunksOf(stream).flatMap(({ choices = [] }) =>
    choices.map(({ delta }) => delta?.content ?? ''),
  );
  return deltas.join('');
}

interface Chunk {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: { readonly content?: string | null };
  }[];
}

function chunksOf(stream: string): Chunk[] {
  return dataOf(stream)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
}
