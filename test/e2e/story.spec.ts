import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallStory } from '../../src/calls/index.js';
import { eventually } from '../support/eventually.js';
import { jsonOf, open } from '../support/http-client.js';
import { DONE, sendJson, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

let tracker: StagedTracker;
let logger: SilentLogger;
beforeEach(async () => {
  logger = new SilentLogger();
  tracker = await stage.tracker({ parts: { logger } });
});

async function storyOf(requestId: string): Promise<CallStory> {
  return jsonOf(await tracker.api.get(`/v1/calls/${requestId}`)) as CallStory;
}

async function chat(requestId: string, more: object = {}): Promise<CallStory> {
  await tracker.api.chat(aChat(more), { headers: { 'x-request-id': requestId } });
  return storyOf(requestId);
}

describe('the story of a call', () => {
  it('tells of each attempt how it was chosen, from whom, which node failed it and why', async () => {
    const failing = await stage.head((response) => sendJson(response, 500, { error: { message: 'no' } }));
    await join(tracker.api, failing, 'bad', { throughput_tps: 90 });
    await join(tracker.api, await stage.head(), 'good', { throughput_tps: 10 });
    const waiting = {
      ...{ status: 'unsampled', tps: null, weight: 0, barred: false, left_out: null },
      ...{ predicted_seconds: null, predicted_seconds_200: null, node_loads: null },
    };
    const [bad, good] = ['bad', 'good'].map((wallet) => `${MODEL}|${wallet}:all[0-0]`);
    const story = await chat('failover');
    expect(story).toMatchObject({ outcome: 'completed', cause: null, sample: 'recorded' });
    expect(story.attempts).toEqual([
      {
        ...{ signature: bad, mode: 'scout', probability: 1, outcome: 'failed', status: 500 },
        ...{ ms: expect.any(Number), failed_node_id: 'bad:all', cause: 'node_failed', reason: null },
        candidates_not_kept: 0,
        candidates: [
          { ...waiting, signature: bad, prior_tps: 90, traffic_share: 1, scouts_in_flight: 0 },
          { ...waiting, signature: good, prior_tps: 10, traffic_share: 0, scouts_in_flight: 0 },
        ],
      },
      {
        ...{ signature: good, mode: 'scout', probability: 1, outcome: 'completed', status: 200 },
        ...{ ms: expect.any(Number), failed_node_id: null, cause: null, reason: null },
        candidates_not_kept: 0,
        candidates: [{ ...waiting, signature: good, prior_tps: 10, traffic_share: 1, scouts_in_flight: 0 }],
      },
    ]);
  });

  it('names the hop that failed, where the head knows which', async () => {
    const half = { num_layers: 4, throughput_tps: 10 };
    const head = await stage.head((response) =>
      sendJson(response, 502, { error: { code: 'hop_failed', node_id: 'tail:2-3', message: 'gone' } }),
    );
    await join(tracker.api, head, 'head', { ...half, shard_start: 0, shard_end: 1 });
    await join(tracker.api, await stage.head(), 'tail', { ...half, shard_start: 2, shard_end: 3 });
    const { attempts, outcome, cause } = await chat('hops');
    expect([outcome, cause]).toEqual(['failed', null]);
    expect(attempts).toMatchObject([{ failed_node_id: 'tail:2-3', cause: 'node_failed', status: 502 }]);
  });

  it.each([
    ['a refused connection', 'node_unreachable'],
    ['no right to ask', 'node_misconfigured'],
    ['an end before the end', 'answer_cut_off'],
  ])('has a cause for %s: %s', async (fault, cause) => {
    const head = await stage.head((response) => {
      if (fault === 'no right to ask') sendJson(response, 401, { error: { message: 'who?' } });
      else response.writeHead(200, SSE_HEADERS).end(textChunk('x'));
    });
    if (fault === 'a refused connection') await head.end();
    const endpoint = fault === 'a refused connection' ? await stage.refusingUrl() : head.url;
    await tracker.api.register({ wallet: 'w', endpoint, model: MODEL });
    const { attempts } = await chat('faulty', { stream: true });
    expect(attempts).toMatchObject([{ failed_node_id: 'w:all', cause }]);
  });

  it('blames nobody when a node has too much to do, or the client asked for nonsense', async () => {
    const head = await stage.head((response) => sendJson(response, 429, { error: { message: 'later' } }));
    await join(tracker.api, head, 'w');
    const innocent = { failed_node_id: null, cause: null };
    expect((await chat('busy')).attempts).toMatchObject([{ outcome: 'busy', ...innocent }]);
    head.answer((response) => sendJson(response, 400, { error: { message: 'what?' } }));
    expect((await chat('nonsense')).attempts).toMatchObject([{ outcome: 'refused', ...innocent }]);
  });

  it('has no candidates for a pinned call', async () => {
    await join(tracker.api, await stage.head(), 'w');
    const { attempts } = await chat('pinned', { route: ['w:all'] });
    expect(attempts).toMatchObject([{ mode: 'pinned', probability: 1, candidates: [] }]);
  });

  it('shows a full node among the candidates as left out, also while the call is open', async () => {
    let finish = (): void => undefined;
    const slow = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
      finish = () => response.end(DONE);
    });
    await join(tracker.api, slow, 'slow', { max_concurrent: 1, throughput_tps: 90 });
    await join(tracker.api, await stage.head(), 'other', { throughput_tps: 10 });
    const opened = await tracker.api.openChat(aChat({ stream: true }), { headers: { 'x-request-id': 'o' } });
    const open = await storyOf('o');
    expect(open).toMatchObject({ outcome: null, attempts: [{ outcome: null, mode: 'scout' }] });
    expect(open.attempts[0]?.candidates.map(({ left_out }) => left_out)).toEqual([null, null]);
    const { attempts } = await chat('beside');
    expect(attempts[0]?.candidates).toMatchObject([
      { signature: `${MODEL}|other:all[0-0]`, left_out: null, traffic_share: 1 },
      { signature: `${MODEL}|slow:all[0-0]`, left_out: 'full', traffic_share: 0 },
    ]);
    finish();
    await opened.rest();
  });

  it('is told to whoever asks for the call, and stands in no list, event or log line', async () => {
    await join(tracker.api, await stage.head(), 'w');
    const watching = await open(`${tracker.url}/v1/events`, {});
    const story = await chat('told');
    expect(story.attempts[0]?.candidates).toHaveLength(1);
    const [row] = await tracker.api.calls();
    expect(row?.attempts).toEqual([
      { ...story.attempts[0], candidates: undefined, candidates_not_kept: undefined, reason: undefined },
    ]);
    const events = await watching.until('call.finished');
    watching.leave();
    await eventually(() => expect(logger.of('call.finished')).toHaveLength(1));
    const lean = JSON.stringify([await tracker.api.calls(), events, logger.lines]);
    expect(lean).toContain('failed_node_id');
    expect(lean).not.toContain('candidates');
  });
});
