import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { asked, twoRoutes, WAYS } from '../../support/two-routes.js';
import { aChat, join, standingOf } from '../../support/whole-model.js';

const LLAMA_CPP = {
  error: {
    code: 400,
    message: 'request (3031 tokens) exceeds the available context size (1024 tokens), try increasing it',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 3031,
    n_ctx: 1024,
  },
};
const OPENAI = {
  error: {
    message: "This model's maximum context length is 1024 tokens. However, you requested 3036 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};
const LONG = 'x'.repeat(12_000);

const stage = new Stage();
afterEach(() => stage.end());

describe('C08 a prompt that is too long for one node', () => {
  it.each(WAYS)('goes to a node with room, and charges none, asked by %s', async (_way, path, stream) => {
    const { api, faulty, healthy, faultyId } = await twoRoutes(stage, (response) =>
      sendJson(response, 400, stream ? LLAMA_CPP : OPENAI),
    );
    for (let n = 0; n < 3; n += 1) {
      const reply = await api.chat(asked(path, stream, { filler: LONG }), { path });
      expect(reply.status).toBe(200);
    }
    // Its limit is remembered.
    expect([faulty.chats.length, healthy.chats.length]).toEqual([1, 3]);
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it('is refused in the node’s own words when no node has more room', async () => {
    const { api } = await stage.tracker();
    const one = await stage.head((response) => sendJson(response, 400, LLAMA_CPP));
    const other = await stage.head((response) => sendJson(response, 400, LLAMA_CPP));
    await join(api, one, 'one', { throughput_tps: 100 });
    await join(api, other, 'other', { throughput_tps: 1 });
    const reply = await api.chat(aChat({ filler: LONG }));
    expect([reply.status, errorOf(reply).type]).toEqual([400, 'exceed_context_size_error']);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'refused' });
  });

  it('asks at most one roomier route', async () => {
    const { api } = await stage.tracker();
    const heads = await Promise.all(
      [1, 2, 3].map((n) =>
        stage.head((response) =>
          sendJson(response, 400, { error: { message: `maximum context length is ${String(n)}000` } }),
        ),
      ),
    );
    for (const [at, head] of heads.entries())
      await join(api, head, `w${String(at)}`, { throughput_tps: 100 - at });
    expect((await api.chat(aChat({ filler: LONG }))).status).toBe(400);
    expect(heads.map(({ chats }) => chats.length)).toEqual([1, 1, 0]);
  });

  it('is not believed below the length of what the node has served, since a message may quote its client', async () => {
    const { api, faulty } = await twoRoutes(stage, (response, chat) => {
      if (!chat.body.includes('maximum context length')) sendChat(response, chat);
      else
        sendJson(response, 400, {
          error: { message: (JSON.parse(chat.body.toString()) as { tool_choice: string }).tool_choice },
        });
    });
    await api.chat(aChat({ filler: 'x'.repeat(500), route: ['faulty:all'] }));
    const quoted =
      "This model's maximum context length is 8 tokens. However, you requested 9999 tokens (9999 in the messages, 0 in the completion)";
    await api.chat(aChat({ tool_choice: quoted, route: ['faulty:all'] }));
    const before = faulty.chats.length;
    for (let n = 0; n < 20; n += 1) await api.chat(aChat());
    expect(faulty.chats.length).toBeGreaterThan(before);
  });

  it('leaves short chats where they were', async () => {
    const { api, faulty } = await twoRoutes(stage, (response, chat) => {
      if (chat.body.length > 4_000) sendJson(response, 400, LLAMA_CPP);
      else sendChat(response, chat);
    });
    await api.chat(aChat({ filler: LONG }));
    const before = faulty.chats.length;
    await api.chat(aChat({ route: ['faulty:all'] }));
    expect(faulty.chats.length).toBe(before + 1);
  });
});
