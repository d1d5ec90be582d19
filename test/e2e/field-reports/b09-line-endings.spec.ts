import { afterEach, describe, expect, it } from '@jest/globals';
import type { FakeHead, HeadAnswering } from '../../support/fake-head.js';
import { dataOf } from '../../support/http-client.js';
import { finishChunk, SSE_HEADERS, textChunk, usageChunk } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** What ends an event, in the pieces in which it comes. */
const ENDINGS: readonly (readonly [name: string, ...pieces: string[]])[] = [
  ['LF', '\n\n'],
  ['CRLF', '\r\n\r\n'],
  ['bare CR', '\r\r'],
  ['LF, then CRLF', '\n\r\n'],
  ['CRLF, then LF', '\r\n\n'],
  ['CR, then LF and LF', '\r\n', '\n'],
  ['CRLF cut within the line', '\r', '\n\r\n'],
  ['CRLF cut within the blank line', '\r\n\r', '\n'],
  ['CRLF in four pieces', '\r', '\n', '\r', '\n'],
];

const EVENTS = [textChunk('one '), textChunk('two'), finishChunk(), usageChunk(40), 'data: [DONE]\n\n'];

interface Staged {
  readonly tracker: StagedTracker;
  readonly head: FakeHead;
  readonly nodeId: string;
  /** Everything that the head has sent when it is done. */
  readonly sent: () => string;
  /** Lets the head send what follows its first event. */
  readonly goOn: () => void;
}

async function staged(pieces: readonly string[]): Promise<Staged> {
  let sent = '';
  let goOn = (): void => undefined;
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const answering: HeadAnswering = async (response) => {
    response.writeHead(200, SSE_HEADERS);
    for (const [at, text] of EVENTS.entries()) {
      for (const piece of [text.trimEnd(), ...pieces]) {
        sent += piece;
        response.write(piece);
        await new Promise(setImmediate);
      }
      if (at === 0) await mayGoOn;
    }
    response.end();
  };
  const tracker = await stage.tracker();
  const head = await stage.head(answering);
  const nodeId = await join(tracker.api, head, 'head');
  return { tracker, head, nodeId, sent: () => sent, goOn };
}

describe.each(ENDINGS)('B09 a head ends its lines with %s', (_name, ...pieces) => {
  it('is relayed event by event, to the byte, and its usage is found', async () => {
    const { tracker, nodeId, sent, goOn } = await staged(pieces);
    const { api } = tracker;

    const open = await api.openChat(aChat({ stream: true, stream_options: { include_usage: true } }));
    // The head waits until its first event has arrived.
    await open.until('one ');
    goOn();
    const reply = await open.rest();

    // The client's stream ends with `[DONE]`, so a last LF that comes late is not waited for.
    expect([sent(), sent().replace(/\n$/, '')]).toContain(reply.text);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      completion_tokens: 40,
      tokens_estimated: false,
      sample: 'recorded',
    });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is relayed event by event without the usage that only the tracker asked for', async () => {
    const { tracker, goOn } = await staged(pieces);
    const { api } = tracker;

    const open = await api.openChat(aChat({ stream: true }));
    await open.until('one ');
    goOn();
    const reply = await open.rest();

    expect(dataOf(reply.text)).toEqual(
      EVENTS.filter((text) => !text.includes('usage')).map((text) => text.trim().slice('data: '.length)),
    );
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 40, tokens_estimated: false });
  });
});
