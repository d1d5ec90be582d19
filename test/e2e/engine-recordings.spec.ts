import { afterEach, describe, expect, it } from '@jest/globals';
import { engineRecordings, replayOf, type EngineRecording } from '../support/engine-recording.js';
import type { FakeHead } from '../support/fake-head.js';
import { dataOf, type Reply } from '../support/http-client.js';
import { Stage } from '../support/stage.js';
import type { TrackerApi } from '../support/tracker-api.js';
import { aChat, BLAMED, join, MODEL, standingOf } from '../support/whole-model.js';

/** What a recorded answer must count as. */
type Kind =
  /** A whole answer. */
  | 'whole'
  /** The client's fault, by its status. */
  | 'refused'
  /** The client's fault, though the engine says 500. */
  | 'request'
  /** Too long for this context; another node may have room. */
  | 'context'
  /** The node has too much to do, or loads its model. */
  | 'busy'
  /** The node cannot do this; another may. */
  | 'unsupported'
  /** The node does not know the path. */
  | 'no-endpoint'
  /** Ended before any content. */
  | 'empty'
  /** Ended within the content. */
  | 'cut'
  /** The node's: the connection broke before an answer, or the answer says no more than "500". */
  | 'failed';

const KINDS: Readonly<Record<string, Kind>> = {
  'llama-cpp-python/bad-grammar': 'failed',
  'llama-cpp-python/bad-schema': 'request',
  'llama-cpp-python/bad-type': 'request',
  'llama-cpp-python/image-json': 'request',
  'llama-cpp-python/image-stream': 'empty',
  'llama-cpp-python/interrupted-after-content': 'cut',
  'llama-cpp-python/interrupted-before-content': 'empty',
  'llama-cpp-python/malformed-json': 'failed',
  'llama-cpp-python/no-embeddings': 'request',
  'llama-cpp-python/too-long-json': 'context',
  'llama-cpp-python/too-long-legacy-json': 'context',
  'llama-cpp-python/too-long-stream': 'empty',
  'llama-cpp-python/unknown-path': 'no-endpoint',
  'xllamacpp/bad-grammar': 'refused',
  'xllamacpp/bad-schema': 'refused',
  'xllamacpp/bad-type': 'refused',
  'xllamacpp/image-json': 'request',
  'xllamacpp/image-stream': 'request',
  'xllamacpp/loading': 'busy',
  'xllamacpp/malformed-json': 'refused',
  'xllamacpp/no-embeddings': 'unsupported',
  'xllamacpp/too-long-json': 'context',
  'xllamacpp/too-long-legacy-json': 'context',
  'xllamacpp/too-long-stream': 'context',
  'xllamacpp/unknown-path': 'no-endpoint',
};

const CHAT = '/v1/chat/completions';
const LEGACY = '/v1/completions';

const recordings = [...engineRecordings()].map(([name, recording]) => ({
  name,
  recording,
  kind: KINDS[name] ?? 'whole',
}));

function ofKind(...kinds: Kind[]): [string, EngineRecording][] {
  return recordings
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ name, recording }) => [name, recording]);
}

const stage = new Stage();
afterEach(() => stage.end());

interface Staged {
  readonly api: TrackerApi;
  readonly head: FakeHead;
  readonly nodeId: string;
}

/** A tracker in front of one head that answers as recorded. */
async function alone(recording: EngineRecording): Promise<Staged> {
  const { api } = await stage.tracker();
  const head = await stage.head(replayOf(recording));
  return { api, head, nodeId: await join(api, head, 'recorded', { throughput_tps: 100 }) };
}

/** The same, with a good head that is asked second. */
async function withSpare(recording: EngineRecording): Promise<Staged & { readonly spareId: string }> {
  const staged = await alone(recording);
  const spareId = await join(staged.api, await stage.head(), 'spare', { throughput_tps: 1 });
  return { ...staged, spareId };
}

/** Sends the recorded request, or a plain chat in place of one that the tracker itself would refuse. */
function sent(api: TrackerApi, { request }: EngineRecording, more: object = {}): Promise<Reply> {
  const path = request.path === LEGACY ? LEGACY : CHAT;
  return api.chat({ ...bodyOf(request.body), model: MODEL, ...more }, { path });
}

function bodyOf(text: string): object {
  try {
    return { ...aChat(), ...(JSON.parse(text) as object) };
  } catch {
    return aChat();
  }
}

const asksUsage = ({ request }: EngineRecording): boolean => request.body.includes('include_usage');
const isStream = ({ request }: EngineRecording): boolean => request.body.includes('"stream":true');

describe('the recordings of engines', () => {
  it('are all known here, and all that are known here exist', () => {
    const names = new Set(recordings.map(({ name }) => name));
    expect(Object.keys(KINDS).filter((name) => !names.has(name))).toEqual([]);
    expect(recordings.filter(({ kind, recording }) => kind === 'whole' && recording.status !== 200)).toEqual(
      [],
    );
  });

  it('name no folder of a home', () => {
    expect(
      recordings.filter(({ recording }) => /\/(home|root|Users|work)\//.test(JSON.stringify(recording))),
    ).toEqual([]);
  });
});

describe('a whole answer of an engine', () => {
  const wholes = ofKind('whole');

  it.each(wholes.filter(([, recording]) => !isStream(recording) || asksUsage(recording)))(
    '%s is completed and relayed byte for byte',
    async (_name, recording) => {
      const { api } = await alone(recording);

      const reply = await sent(api, recording);

      expect([reply.status, reply.isWhole]).toEqual([200, true]);
      expect(reply.text).toBe(recording.chunks.join(''));
      expect((await api.callOf(reply)).outcome).toBe('completed');
    },
  );

  it.each(wholes.filter(([, recording]) => isStream(recording)))(
    '%s reaches a client that asked for no usage without it, and with all else',
    async (_name, recording) => {
      const { api, nodeId } = await alone(recording);

      const reply = await sent(api, recording, { stream_options: undefined });

      const [came, expected] = [reply.text, recording.chunks.join('')].map((text) =>
        dataOf(text).flatMap(withoutUsage),
      );
      expect(came).toEqual(expected);
      // llama.cpp's older completions end with usage, asked for or not.
      if (recording.request.path === CHAT) expect(reply.text).not.toContain('"usage"');
      expect((await api.callOf(reply)).outcome).toBe('completed');
      expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, inFlight: 0 });
    },
  );
});

describe("an engine's error", () => {
  it.each(ofKind('refused'))('%s is the client\u2019s fault and is passed on', async (_name, recording) => {
    const { api, nodeId } = await alone(recording);

    const reply = await sent(api, recording);

    expect([reply.status, reply.text]).toEqual([recording.status, recording.chunks.join('')]);
    expect((await api.callOf(reply)).outcome).toBe('refused');
    expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed', samples: 0 });
  });

  it.each(ofKind('request'))(
    '%s of two owners is the request\u2019s own fault, and is not to be retried',
    async (_name, recording) => {
      const { api, nodeId } = await alone(recording);
      const otherId = await join(api, await stage.head(replayOf(recording)), 'other', { throughput_tps: 1 });

      for (let chats = 0; chats < 5; chats += 1) {
        const reply = await sent(api, recording);
        expect(reply.status).toBeGreaterThanOrEqual(400);
        expect(reply.headers['x-should-retry']).toBe('false');
        expect((await api.callOf(reply)).outcome).not.toBe('completed');
      }

      for (const id of [nodeId, otherId]) {
        expect(await standingOf(api, id)).toMatchObject({ isBlamed: false, breaker: 'closed', samples: 0 });
      }
    },
  );

  it.each(ofKind('context', 'busy', 'unsupported'))(
    '%s sends the chat to another route at no penalty',
    async (_name, recording) => {
      const { api, nodeId, spareId } = await withSpare(recording);

      const reply = await sent(api, recording);

      expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `m|${spareId}[0-0]`]);
      expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed', samples: 0 });
    },
  );

  it.each(ofKind('no-endpoint'))('%s on the chat path is a misconfigured node', async (_name, recording) => {
    const { api, spareId } = await withSpare(recording);

    const reply = await sent(api, recording);

    expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `m|${spareId}[0-0]`]);
    expect((await api.callOf(reply)).attempts).toMatchObject([
      { outcome: 'misconfigured', status: recording.status },
      { outcome: 'completed' },
    ]);
  });

  it.each(ofKind('no-endpoint'))(
    '%s on the path of older completions sends the request to another route at no penalty',
    async (_name, recording) => {
      const { api, nodeId, spareId } = await withSpare(recording);

      const reply = await api.chat({ model: MODEL, prompt: 'Once' }, { path: LEGACY });

      expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `m|${spareId}[0-0]`]);
      expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed', samples: 0 });
    },
  );
});

describe('an answer that an engine did not finish', () => {
  it.each(ofKind('empty', 'failed'))('%s is served by another route', async (_name, recording) => {
    const { api, nodeId, spareId } = await withSpare(recording);

    const reply = await sent(api, recording);

    expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `m|${spareId}[0-0]`]);
    expect(reply.text).not.toContain('"error"');
    const { attempts } = await api.callOf(reply);
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      recording.status === 200 ? 'cut_off' : 'failed',
      'completed',
    ]);
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it.each(ofKind('empty', 'failed'))('%s is an error where no other route is', async (_name, recording) => {
    const { api } = await alone(recording);

    const reply = await sent(api, recording);

    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(['failed', 'cut_off']).toContain((await api.callOf(reply)).outcome);
  });

  it.each(ofKind('cut'))('%s ends with an error event and is no sample', async (_name, recording) => {
    const { api, nodeId, spareId } = await withSpare(recording);

    const reply = await sent(api, recording);

    const data = dataOf(reply.text);
    expect(data.slice(0, -1)).toEqual(dataOf(recording.chunks.join('')).slice(0, -1));
    expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({ error: { code: 'answer_cut_off' } });
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'cut_off', sample: 'cut_off', tps: null });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    expect(await standingOf(api, spareId)).toMatchObject({ samples: 0 });
  });
});

/** What is left of an event without its usage: nothing, where nothing else was in it. */
function withoutUsage(data: string): unknown[] {
  if (data === '[DONE]') return [data];
  const { usage, ...rest } = JSON.parse(data) as { usage?: unknown; choices: unknown[]; timings?: unknown };
  if (usage !== undefined && rest.choices.length === 0 && rest.timings === undefined) return [];
  return [rest];
}
