import { afterEach, describe, expect, it } from '@jest/globals';
import {
  DONE,
  event,
  finishChunk,
  SSE_HEADERS,
  textChunk,
  usage,
  usageChunk,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join } from '../../support/whole-model.js';

const TIMINGS = { predicted_per_second: 90.67662189495161, big: 12345678901234567890n.toString() };
const stage = new Stage();
afterEach(() => stage.end());

async function relayed(text: string, more: object = {}): Promise<string> {
  const { api } = await stage.tracker();
  const head = await stage.head((response) => response.writeHead(200, SSE_HEADERS).end(text));
  await join(api, head, 'head');
  return (await api.chat(aChat({ stream: true, ...more }))).text;
}

describe('C11 usage that the tracker asked for is taken away, and nothing else', () => {
  const head = textChunk('one') + finishChunk();
  it.each([
    [
      'beside timings in the usage chunk',
      { choices: [], usage: usage(5), timings: TIMINGS },
      { choices: [], timings: TIMINGS },
    ],
    [
      'in front of timings',
      { usage: usage(5), choices: [], timings: TIMINGS },
      { choices: [], timings: TIMINGS },
    ],
    [
      'with null choices',
      { choices: null, usage: usage(5), timings: TIMINGS },
      { choices: null, timings: TIMINGS },
    ],
    ['without choices', { usage: usage(5), timings: TIMINGS }, { timings: TIMINGS }],
    [
      'in a chunk whose choice is empty',
      { choices: [{ index: 0, delta: {}, finish_reason: null }], usage: usage(5), x_metrics: 1 },
      { choices: [{ index: 0, delta: {}, finish_reason: null }], x_metrics: 1 },
    ],
  ])('%s', async (_what, sent, seen) => {
    expect(await relayed(head + event(sent) + DONE)).toBe(head + event(seen) + DONE);
  });

  it('a chunk that holds usage alone goes with its blank line', async () => {
    expect(await relayed(head + usageChunk(5) + DONE)).toBe(head + DONE);
  });

  it('each of several usage chunks inside the stream goes', async () => {
    const second = event({ choices: [{ index: 1, delta: { content: 'x' }, finish_reason: 'stop' }] });
    expect(await relayed(head + usageChunk(5) + second + usageChunk(5) + DONE)).toBe(head + second + DONE);
  });

  it('data of several lines loses it too', async () => {
    const lines =
      'data: {"choices":[],\ndata: "usage":{"completion_tokens":5},\ndata: "timings":{"a":1}}\n\n';
    const text = await relayed(head + lines + DONE);
    expect(text).not.toContain('usage');
    expect(text).toContain('"timings":{"a":1}');
  });

  it('a client that asked for usage gets each byte', async () => {
    const text = head + event({ choices: [], usage: usage(5), timings: TIMINGS }) + DONE;
    expect(await relayed(text, { stream_options: { include_usage: true } })).toBe(text);
  });

  it('null for usage stays, since it tells nothing', async () => {
    const text =
      event({ choices: [{ index: 0, delta: { content: 'a' } }], usage: null }) + finishChunk() + DONE;
    expect(await relayed(text)).toBe(text);
  });
});
