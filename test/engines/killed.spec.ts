import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Engine } from './support/engine.js';
import { aStory, streamEnd } from './support/chats.js';
import { EngineStage, nodeIdOf } from './support/engine-stage.js';

const stage = new EngineStage();
afterEach(() => stage.end());

/** Far less than the half minute between two probes of a listed server. */
const SECONDS = 4_000;

describe('a llama.cpp server that is killed under a stream', () => {
  it('ends the stream with an error event, takes no further chat and fails a probe within seconds', async () => {
    const engines: [Engine, Engine] = [await stage.engine('xllamacpp'), await stage.engine('xllamacpp')];
    const { api } = await stage.listing(engines);
    const open = await api.openChat(aStory(300, { stream: true }));
    await open.until('"content"');
    const isFirst = String(open.headers['x-meshnet-route']).includes(nodeIdOf(engines[0]));
    const [killed, other] = isFirst ? engines : [engines[1], engines[0]];

    await killed.kill();

    const reply = await open.rest();
    expect(streamEnd(reply)).toBe('error');
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    for (let chats = 0; chats < 3; chats += 1) {
      const next = await api.chat(aStory(10));
      expect([next.status, next.headers['x-meshnet-route']]).toEqual([200, `m|${nodeIdOf(other)}[0-0]`]);
    }
    await eventually(async () => expect((await api.node(nodeIdOf(killed))).probe).toBe('failed'), SECONDS);
  });
});
