import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../support/http-client.js';
import { sendJson } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { asked, BOTH, twoRoutes, WAYS } from '../../support/two-routes.js';
import { aChat, standingOf } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

const refusing = (status: number, message = 'no') => {
  return (response: Parameters<typeof sendJson>[0]): void =>
    sendJson(response, status, { error: { message, type: 't', param: null, code: null } });
};

describe('C01 a status that is the node’s own', () => {
  it.each([402, 406, 407, 408, 409, 418, 421, 423, 425, 426, 428, 451, 499, 500, 505, 507, 511, 529])(
    '%i fails over to the healthy node, and charges the faulty one',
    async (status) => {
      const { api, healthy, faultyId } = await twoRoutes(stage, refusing(status));
      const reply = await api.chat(aChat());
      expect([reply.status, reply.headers['x-meshnet-attempts'], healthy.chats.length]).toEqual([
        200,
        '2',
        1,
      ]);
      expect((await standingOf(api, faultyId)).isBlamed).toBe(true);
    },
  );

  it.each([401, 403, 404, 405, 410])('%i is a misconfigured node', async (status) => {
    const { api, faultyId } = await twoRoutes(stage, refusing(status, 'nope'));
    const reply = await api.chat(aChat());
    expect(reply.status).toBe(200);
    expect((await api.callOf(reply)).attempts[0]?.outcome).toBe('misconfigured');
    expect((await standingOf(api, faultyId)).isBlamed).toBe(true);
  });

  it.each(WAYS)('keeps no chat from the healthy node, asked by %s', async (_way, path, stream) => {
    const { api, healthy } = await twoRoutes(stage, refusing(402));
    for (let n = 0; n < 20; n += 1) {
      const reply = await api.chat(asked(path, stream), { path });
      expect(reply.status).toBe(200);
    }
    expect(healthy.chats.length).toBe(20);
  });

  it.each([[413], [501]])('%i goes to the next route and charges no node', async (status) => {
    const { api, faultyId } = await twoRoutes(stage, refusing(status));
    const reply = await api.chat(aChat());
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it('a node that lacks the older completions is not asked for them again, and stays for chats', async () => {
    const { api, faulty, faultyId } = await twoRoutes(stage, (response, chat) => {
      if (chat.path === '/v1/completions') sendJson(response, 404, { detail: 'Not Found' });
      else sendJson(response, 500, { error: { message: 'unused' } });
    });
    for (let n = 0; n < 4; n += 1) {
      expect((await api.chat(asked('/v1/completions', false), { path: '/v1/completions' })).status).toBe(200);
    }
    expect(faulty.chats.length).toBe(1);
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it.each([400, 411, 414, 415, 416, 422, 431])(
    '%i of a node with a recent completion is the client’s at once',
    async (status) => {
      let answers = 0;
      const { api, faulty, healthy, faultyId } = await twoRoutes(stage, (response) => {
        answers += 1;
        if (answers > 1) sendJson(response, status, { error: { message: 'bad request' } });
        else sendJson(response, 200, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] });
      });
      await api.chat(aChat({ route: [faultyId] }));
      const reply = await api.chat(aChat({ route: [faultyId] }));
      expect(reply.status).toBe(status);
      expect([faulty.chats.length, healthy.chats.length]).toEqual([2, 0]);
      expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
    },
  );

  it.each(BOTH)(
    '400 of a node without completions gets a second opinion, asked by %s',
    async (_way, path, stream) => {
      const { api, healthy, faultyId } = await twoRoutes(stage, refusing(400, 'I do not like this'));
      for (let n = 0; n < 20; n += 1)
        expect((await api.chat(asked(path, stream), { path })).status).toBe(200);
      expect(healthy.chats.length).toBe(20);
      expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
    },
  );

  it('a proven node that begins to refuse everything costs a few chats', async () => {
    let answers = 0;
    const { api, faultyId } = await twoRoutes(stage, (response) => {
      answers += 1;
      if (answers > 10) sendJson(response, 400, { error: { message: 'no' } });
      else {
        const choices = [{ message: { content: 'x' }, finish_reason: 'stop' }];
        sendJson(response, 200, { choices, usage: { completion_tokens: 100 } });
      }
    });
    for (let n = 0; n < 10; n += 1) await api.chat(aChat({ route: [faultyId] }));
    let refused = 0;
    for (let n = 0; n < 60; n += 1) if ((await api.chat(aChat())).status !== 200) refused += 1;
    expect(refused).toBeLessThanOrEqual(5);
  });

  it('404 for a thing that the client named is the client’s', async () => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      sendJson(response, 404, { error: { message: "File 'file-abc' was not found." } }),
    );
    const reply = await api.chat(aChat({ file: 'file-abc', route: [faultyId] }));
    expect([reply.status, errorOf(reply).message]).toEqual([404, "File 'file-abc' was not found."]);
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });
});
