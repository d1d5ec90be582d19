import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock, type Clock } from '../../../src/kernel/index.js';
import { jsonOf, start } from '../../support/http-client.js';
import { DONE, event, sendJson, SSE_HEADERS, usageChunk, wholeChat } from '../../support/openai-answers.js';
import { eventually } from '../../support/eventually.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const stage = new Stage();
afterEach(() => stage.end());

/** Timers run, but whoever asks for the time gets what the test gives. */
class OddClock extends SystemClock {
  constructor(
    private readonly nowOf: () => number,
    private readonly wallOf: () => number = () => Date.UTC(2026, 0, 1),
  ) {
    super();
  }

  override now(): number {
    return this.nowOf();
  }

  override wallMs(): number {
    return this.wallOf();
  }
}

async function instant(clock: Clock): Promise<StagedTracker> {
  const tracker = await stage.tracker({ parts: { clock } });
  const head = await stage.head((response, chat) => {
    if (chat.body.includes('"stream":true')) {
      const chunk = event({
        id: 'c',
        choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }],
      });
      response.writeHead(200, SSE_HEADERS).end(chunk + usageChunk(500) + DONE);
    } else {
      sendJson(response, 200, wholeChat('x', 500));
    }
  });
  await tracker.api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
  return tracker;
}

/** Every number of an answer's JSON that stands under one of these names. */
function numbersIn(value: unknown, names: readonly string[], found: unknown[] = []): unknown[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (names.includes(name)) found.push(inner);
    numbersIn(inner, names, found);
  }
  return found;
}

async function expectFinite({ api }: StagedTracker, samples: number): Promise<void> {
  for (const path of ['/v1/routing', '/v1/calls', '/v1/nodes']) {
    const reply = await api.get(path);
    expect(reply.status).toBe(200);
    expect(reply.text).not.toMatch(/NaN|Infinity/);
    const shown = numbersIn(jsonOf(reply), ['tps', 'coefficient', 'traffic_share', 'weight', 'reputation']);
    expect(shown.length).toBeGreaterThan(0);
    // JSON writes NaN and Infinity as null: what was measured must be a number.
    for (const number of shown) expect(number).toBeGreaterThanOrEqual(0);
  }
  const route = await api.candidate(MODEL, 'a:all');
  expect(route).toMatchObject({ status: 'proven', sample_count: samples, coefficient: 1, traffic_share: 1 });
}

describe('B41: the speed of an answer that took no time', () => {
  it.each([true, false])('counts a millisecond when the clock stood still (stream: %s)', async (stream) => {
    const tracker = await instant(new OddClock(() => 5_000));
    const reply = await tracker.api.chat({ model: MODEL, stream });
    expect(reply.status).toBe(200);
    expect(await tracker.api.callOf(reply)).toMatchObject({ sample: 'recorded', tps: 500_000, total_ms: 0 });
    await expectFinite(tracker, 1);
    expect((await tracker.api.candidate(MODEL, 'a:all')).tps).toBe(500_000);
  });

  it('counts a millisecond when time went backwards', async () => {
    let now = 1_000_000;
    const tracker = await instant(new OddClock(() => (now -= 1)));
    for (const stream of [true, false, true]) {
      const reply = await tracker.api.chat({ model: MODEL, stream });
      expect(reply.status).toBe(200);
      expect(await tracker.api.callOf(reply)).toMatchObject({ sample: 'recorded', tps: 500_000 });
    }
    await expectFinite(tracker, 3);
  });

  it('has nothing to do with the time of day, wherever that is set meanwhile', async () => {
    const system = new SystemClock();
    let wall = Date.UTC(2026, 0, 1);
    const tracker = await instant(
      new OddClock(
        () => system.now(),
        () => (wall -= 3_600_000),
      ),
    );
    const reply = await tracker.api.chat({ model: MODEL, stream: true });
    const record = await tracker.api.callOf(reply);
    expect(record.sample).toBe('recorded');
    expect(record.total_ms).toBeGreaterThanOrEqual(0);
    expect(record.total_ms).toBeLessThan(60_000);
    await expectFinite(tracker, 1);
  });
});

describe('B41: the speed of an answer that never came', () => {
  it.each([true, false])('is none at all, whoever ended it (stream: %s)', async (stream) => {
    const { api } = await stage.tracker();
    const head = await stage.head((response, chat) => {
      if (chat.headers['x-request-id'] === 'cut') response.destroy();
    });
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
    const cut = await api.chat({ model: MODEL, stream }, { headers: { 'x-request-id': 'cut' } });
    expect(cut.status).toBe(502);
    expect(await api.call('cut')).toMatchObject({ outcome: 'failed', tps: null, sample: 'failed' });

    const leaving = start(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-request-id': 'left' },
      body: { model: MODEL, stream },
    });
    await eventually(() => expect(head.chats).toHaveLength(2));
    leaving.destroy();
    const record = await eventually(async () => {
      const found = await api.call('left');
      expect(found.outcome).toBe('client_left');
      return found;
    });
    expect(record).toMatchObject({ tps: null, ttft_ms: null, sample: 'client_left' });
    expect(await api.candidate(MODEL, 'a:all')).toMatchObject({
      status: 'unsampled',
      tps: null,
      coefficient: null,
      sample_count: 0,
    });
    expect((await api.get('/v1/routing')).text).not.toMatch(/NaN|Infinity/);
  });
});
