import { afterEach, describe, expect, it } from '@jest/globals';
import { jsonOf } from '../../support/http-client.js';
import { DONE, event, sendJson, SSE_HEADERS, usage } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { asked, twoRoutes, WAYS } from '../../support/two-routes.js';
import { aChat, standingOf } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** SGLang's own abort: status 200, no text, and the reason `abort`. */
function aborted(path: string, stream: boolean, text = ''): object {
  if (path !== '/v1/chat/completions') return { index: 0, text, finish_reason: 'abort' };
  return { index: 0, [stream ? 'delta' : 'message']: { content: text }, finish_reason: 'abort' };
}

describe('C10 an engine that ends its own abort with 200', () => {
  it.each(WAYS)('is replaced by the next route and is charged, asked by %s', async (_way, path, stream) => {
    const { api, faultyId } = await twoRoutes(stage, (response) => {
      const choices = [aborted(path, stream)];
      if (stream) response.writeHead(200, SSE_HEADERS).end(event({ choices }) + DONE);
      else sendJson(response, 200, { choices, usage: usage(50) });
    });
    for (let n = 0; n < 10; n += 1) {
      const reply = await api.chat(asked(path, stream), { path });
      expect([reply.status, reply.text.includes('t9')]).toEqual([200, true]);
    }
    const nodes = await api.nodes();
    expect(nodes.find(({ node_id }) => node_id === faultyId)?.reputation).toBeLessThan(1);
    const incidents = jsonOf(await api.get('/v1/incidents?model=m')) as { data: { failures: object[] }[] };
    expect(incidents.data[0]?.failures).toContainEqual(
      expect.objectContaining({ node_id: faultyId, cause: 'answer_aborted' }),
    );
  });

  it('ends well with a reason that the tracker does not know', async () => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      sendJson(response, 200, {
        choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'matched_eos' }],
        usage: usage(50),
      }),
    );
    expect(await api.callOf(await api.chat(aChat()))).toMatchObject({
      outcome: 'completed',
      sample: 'recorded',
    });
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it('shows an answer without content as what it is', async () => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      sendJson(response, 200, {
        choices: [{ index: 0, message: { content: '' }, finish_reason: 'stop' }],
        usage: usage(50),
      }),
    );
    const pinned = await api.chat(aChat({ route: [faultyId] }));
    expect(await api.callOf(pinned)).toMatchObject({ outcome: 'completed', sample: 'no_content' });
    const served = await api.chat(aChat());
    expect((await api.candidate('m', faultyId)).chats_given_nothing).toBe(1);
    expect(await api.callOf(served)).toMatchObject({
      outcome: 'completed',
      attempts: [
        { outcome: 'empty', cause: 'empty_answer', failed_node_id: faultyId },
        { outcome: 'completed' },
      ],
    });
    const incidents = jsonOf(await api.get('/v1/incidents?model=m')) as { data: { failures: object[] }[] };
    expect(incidents.data[0]?.failures).toContainEqual({
      node_id: faultyId,
      cause: 'empty_answer',
      count: 2,
    });
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });
});
