import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CountingClock } from '../support/counting-clock.js';
import {
  DONE,
  event,
  finishChunk,
  sendJson,
  SSE_HEADERS,
  textChunk,
  usageChunk,
  wholeChat,
} from '../support/openai-answers.js';
import { Stage } from '../support/stage.js';
import { aChat, join } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());
afterEach(() => void jest.restoreAllMocks());

const TOKENS = 300;
const MARK = 'MARKED';

/** Texts with the mark that were parsed since. */
function parses(): () => number {
  const parse = jest.spyOn(JSON, 'parse');
  return () => parse.mock.calls.filter(([text]) => text.includes(MARK)).length;
}

/** Counts each timer that is set, also those of libraries. */
class TimersSet extends CountingClock {
  set = 0;

  override after(...[delayMs, act]: Parameters<CountingClock['after']>): ReturnType<CountingClock['after']> {
    this.set += 1;
    return super.after(delayMs, act);
  }
}

/** Each event in a packet of its own. */
async function pour(response: ServerResponse, events: readonly string[]): Promise<void> {
  response.writeHead(200, SSE_HEADERS);
  for (const each of events) {
    response.write(each);
    await new Promise((turn) => setImmediate(turn));
  }
  response.end(DONE);
}

describe('what the relay does for a chat', () => {
  it('is to parse a request once, and an answer once', async () => {
    const { api } = await stage.tracker();
    await join(api, await stage.head((response) => sendJson(response, 200, wholeChat(MARK))), 'w');
    const counted = parses();
    const reply = await api.chat(aChat({ messages: [{ role: 'user', content: MARK }] }));
    expect(reply.status).toBe(200);
    expect(counted()).toBe(2);
  });

  it('is to parse of a stream the first event, the first content, what ends it, and no other', async () => {
    const { api } = await stage.tracker();
    const role = event({
      id: 'c',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' } }],
      x: MARK,
    });
    const texts = Array.from({ length: TOKENS }, (_, n) => textChunk(`${MARK} ${String(n)}`));
    const events = [role, ...texts, finishChunk(MARK), usageChunk(TOKENS)];
    await join(api, await stage.head((response) => void pour(response, events)), 'w');
    const counted = parses();
    const reply = await api.chat(aChat({ stream: true, messages: [{ role: 'user', content: MARK }] }));
    expect(reply.text).toContain(`${MARK} ${String(TOKENS - 1)}`);
    // The request, the role, the first content, the finish; usage has no mark.
    expect(counted()).toBe(4);
  });

  it('is to set no timer for a chunk, nor one for each stream', async () => {
    const clock = new TimersSet();
    const { api } = await stage.tracker({ parts: { clock } });
    const texts = Array.from({ length: TOKENS }, (_, n) => textChunk(String(n)));
    await join(api, await stage.head((response) => void pour(response, [...texts, finishChunk()])), 'w');
    await api.chat(aChat({ stream: true }));
    const global = jest.spyOn(globalThis, 'setTimeout');
    const before = clock.set;
    await Promise.all(Array.from({ length: 8 }, () => api.chat(aChat({ stream: true }))));
    // The one that all share: set when the first comes, again as ends come nearer.
    expect(clock.set - before).toBeLessThan(8);
    // The others are of new connections, and one of the library's that ticks.
    expect(global.mock.calls.length).toBeLessThan(40);
  });
});
