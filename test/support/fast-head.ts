import type { ServerResponse } from 'node:http';
import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import type { FakeHead } from './fake-head.js';
import { DONE, finishChunk, SSE_HEADERS, textChunk, wholeChat } from './openai-answers.js';
import type { Stage } from './stage.js';

/** A head that sends as fast as it is read, and knows how much of each answer has gone out. */
export class FastHead {
  readonly taken: number[] = [];

  private constructor(
    readonly head: FakeHead,
    private readonly most: number,
  ) {}

  /** @param most bytes of an answer */
  static async start(stage: Stage, most: number): Promise<FastHead> {
    const fast: FastHead = new FastHead(
      await stage.head((response, chat) => {
        const isStream = chat.body.includes('"stream":true');
        fast.send(response, isStream ? SSE_HEADERS : { 'content-type': 'application/json' }, isStream);
      }),
      most,
    );
    return fast;
  }

  private send(response: ServerResponse, headers: Record<string, string>, isStream: boolean): void {
    const part = isStream ? textChunk('x'.repeat(64 * 1024)) : ' '.repeat(64 * 1024);
    const at = this.taken.push(0) - 1;
    response.writeHead(200, headers);
    const next = (): void => {
      const taken = this.taken[at] ?? 0;
      if (response.destroyed) return;
      if (taken >= this.most) response.end(isStream ? finishChunk() + DONE : JSON.stringify(wholeChat()));
      else
        response.write(part, () => {
          this.taken[at] = taken + part.length;
          next();
        });
    };
    next();
  }

  /** Resolves when nothing more goes out. */
  async stalls(): Promise<void> {
    let before = '';
    let since = performance.now();
    await eventually(() => {
      const now = this.taken.join();
      if (now !== before) [before, since] = [now, performance.now()];
      expect(performance.now() - since).toBeGreaterThan(400);
    }, 20_000);
  }
}
