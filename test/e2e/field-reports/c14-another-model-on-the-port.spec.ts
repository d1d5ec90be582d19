import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { FakeHead, type HeadAnswering } from '../../support/fake-head.js';
import { jsonOf, type Reply } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  sendJson,
  SSE_HEADERS,
  TEN,
  wholeChat,
} from '../../support/openai-answers.js';
import { SilentLogger } from '../../support/silent-logger.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const A = 'model-a';
const B = 'model-b';
const EVENT = 'node.answers_as_another_model';
const stage = new Stage();
afterEach(() => stage.end());

/** A server that lists these models and answers every chat under one name, as vLLM or llama.cpp do. */
function serving(models: readonly string[], name: string | null = models[0] ?? null): HeadAnswering {
  return (response, { path, body }) => {
    if (path.endsWith('/models')) {
      sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id })) });
      return;
    }
    const named = name === null ? {} : { model: name };
    const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
    if (stream !== true) {
      sendJson(response, 200, { ...wholeChat('hello'), ...named });
      return;
    }
    const chunks = TEN.map((content) =>
      event({ object: 'chat.completion.chunk', ...named, choices: [{ index: 0, delta: { content } }] }),
    );
    response.writeHead(200, SSE_HEADERS).end([...chunks, finishChunk(), DONE].join(''));
  };
}

interface Scene extends StagedTracker {
  readonly head: FakeHead;
  readonly logger: SilentLogger;
}

/** A tracker in front of one server, by `--node`; its next probe by the clock is half a minute away. */
async function scene(answering: HeadAnswering): Promise<Scene> {
  const head = await stage.head(answering);
  const logger = new SilentLogger();
  const tracker = await stage.tracker({ argv: ['--node', head.url], parts: { logger } });
  return { ...tracker, head, logger };
}

/** Ends the server and starts another one on its port. */
async function replaced(head: FakeHead, answering: HeadAnswering): Promise<FakeHead> {
  const { port } = head;
  await head.end();
  const next = await new FakeHead(answering).start(port);
  stage.atEnd(() => next.end());
  return next;
}

async function modelsOf({ api }: StagedTracker): Promise<string[]> {
  const { data } = jsonOf(await api.get('/v1/models')) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

function probes(asked: string[]): HeadAnswering {
  return (response, chat) => {
    if (chat.path.endsWith('/models')) asked.push(chat.path);
    serving([A])(response, chat);
  };
}

describe.each([false, true])('C14: another model on the same port, streams %s', (stream) => {
  const chat = (tracker: StagedTracker, model = A): Promise<Reply> => tracker.api.chat({ model, stream });

  it('takes the place of the first one as soon as one chat was answered by it', async () => {
    const tracker = await scene(serving([A]));
    for (let n = 0; n < 3; n += 1) expect((await chat(tracker)).status).toBe(200);
    const next = await replaced(tracker.head, serving([B]));
    await chat(tracker);
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([B]), 1000);
    const reached = next.chats.length;
    expect(reached).toBeLessThanOrEqual(1);
    for (let n = 0; n < 10; n += 1) expect((await chat(tracker)).status).toBe(503);
    expect(next.chats).toHaveLength(reached);
    expect((await chat(tracker, B)).status).toBe(200);
  });

  it('takes the place of the first one a second after a chat that found the port closed, at most', async () => {
    const tracker = await scene(serving([A]));
    await chat(tracker);
    const { port } = tracker.head;
    await tracker.head.end();
    expect((await chat(tracker)).status).toBe(502);
    await eventually(
      async () => expect((await tracker.api.nodes())[0]).toMatchObject({ probe: 'failed' }),
      1000,
    );
    const next = await new FakeHead(serving([B])).start(port);
    stage.atEnd(() => next.end());
    await chat(tracker);
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([B]), 2000);
    expect(next.chats.length).toBeLessThanOrEqual(1);
  });
});

describe('C14: a server that answers under another name, and still lists the model', () => {
  it('stays; the name is logged once and known from then on', async () => {
    const tracker = await scene(serving([A]));
    await tracker.api.chat({ model: A });
    tracker.head.answer(serving([A], 'snapshot-2'));
    await tracker.api.chat({ model: A });
    await eventually(() => expect(tracker.logger.of(EVENT)).toHaveLength(1));
    for (let n = 0; n < 5; n += 1) expect((await tracker.api.chat({ model: A })).status).toBe(200);
    expect(tracker.logger.of(EVENT)).toHaveLength(1);
    expect(tracker.logger.of(EVENT)[0]?.fields).toMatchObject({
      model: A,
      known_names: [A],
      name: 'snapshot-2',
    });
    expect(await modelsOf(tracker)).toEqual([A]);
  });

  it.each([
    ['never names a model', null],
    ['names it by a file from the first answer on', '/models/a.gguf'],
  ])('is not suspected when it %s', async (_, name) => {
    const asked: string[] = [];
    const tracker = await scene(probes(asked));
    tracker.head.answer(serving([A], name));
    const before = asked.length;
    for (let n = 0; n < 5; n += 1) await tracker.api.chat({ model: A, stream: n % 2 === 0 });
    expect([asked.length - before, tracker.logger.of(EVENT).length]).toEqual([0, 0]);
    expect(await modelsOf(tracker)).toEqual([A]);
  });
});

describe('C14: a hundred chats whose connections break together', () => {
  it('bring one probe forward, and one more each second', async () => {
    const asked: string[] = [];
    let isBreaking = false;
    const answering = probes(asked);
    const tracker = await scene((response, chat) => {
      if (isBreaking && chat.method === 'POST') response.destroy();
      else answering(response, chat);
    });
    await tracker.api.chat({ model: A });
    isBreaking = true;
    const began = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => tracker.api.chat({ model: A })));
    await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(2));
    const seconds = Math.ceil((performance.now() - began) / 1000);
    expect(asked.length).toBeLessThanOrEqual(1 + 1 + seconds);
    expect(await modelsOf(tracker)).toEqual([A]);
  });
});

describe('C14: a node that registered itself and answers under another name', () => {
  it('is logged once and stays, since no probe can ask it', async () => {
    const head = await stage.head(serving([A]));
    const logger = new SilentLogger();
    const { api } = await stage.tracker({ parts: { logger } });
    await api.register({ wallet: 'w', endpoint: head.url, model: A });
    await api.chat({ model: A });
    head.answer(serving([A], B));
    for (let n = 0; n < 4; n += 1) expect((await api.chat({ model: A })).status).toBe(200);
    expect(logger.of(EVENT)).toHaveLength(1);
  });
});
