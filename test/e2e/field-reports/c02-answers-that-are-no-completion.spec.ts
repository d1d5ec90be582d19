import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf, errorOf } from '../../support/http-client.js';
import { DONE, event, finishChunk, sendJson, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { asked, twoRoutes } from '../../support/two-routes.js';
import { aChat, standingOf } from '../../support/whole-model.js';

const CHAT = '/v1/chat/completions';
const LEGACY = '/v1/completions';
const ROLE = event({
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
});
const legacyChunk = (text: string, reason: string | null = null): string =>
  event({ object: 'text_completion', choices: [{ index: 0, text, finish_reason: reason }] });

const stage = new Stage();
afterEach(() => stage.end());

describe('C02 a stream that is no completion', () => {
  it.each([
    ['`[DONE]` alone', CHAT, DONE],
    ['a role chunk and `[DONE]`', CHAT, ROLE + DONE],
    ['a role chunk and the end', CHAT, ROLE],
    ['nothing', CHAT, ''],
    ['comments alone', CHAT, ': hello\n\n: hello\n\n'],
    ['empty deltas and `[DONE]`', CHAT, event({ choices: [{ delta: {} }] }) + DONE],
    ['usage alone and `[DONE]`', CHAT, event({ choices: [], usage: { completion_tokens: 50 } }) + DONE],
    ['empty choices and `[DONE]`', CHAT, event({ choices: [] }) + DONE],
    ['null choices and `[DONE]`', CHAT, event({ choices: null }) + DONE],
    ['empty objects and `[DONE]`', CHAT, event({}) + DONE],
    ['text that is no JSON and `[DONE]`', CHAT, `data: hello\n\n${DONE}`],
    ['JSON without `data:`', CHAT, '{"choices":[]}\n\n'],
    [
      'a content list of empty parts',
      CHAT,
      event({ choices: [{ delta: { content: [{ type: 'text', text: '' }] } }] }) + DONE,
    ],
    ['finish_reason `abort`', CHAT, ROLE + finishChunk('abort') + DONE],
    ['finish_reason `ERROR`', CHAT, ROLE + finishChunk('ERROR') + DONE],
    ['finish_reason `cancelled`', CHAT, finishChunk('cancelled') + DONE],
    [
      'two choices, one of them aborted',
      CHAT,
      event({
        choices: [
          { index: 0, delta: {}, finish_reason: 'stop' },
          { index: 1, delta: {}, finish_reason: 'abort' },
        ],
      }) + DONE,
    ],
    ['a detail', CHAT, event({ detail: 'overloaded' })],
    ['a message and a code', CHAT, event({ message: 'boom', code: 500 }) + DONE],
    ['object `error`', CHAT, event({ object: 'error', message: 'boom', code: 500 }) + DONE],
    ['an event named error', CHAT, `event: error\n${event({ message: 'boom' })}`],
    [
      'an error inside a choice',
      CHAT,
      event({ choices: [{ index: 0, delta: {}, error: { code: 502, message: 'x' } }] }) + DONE,
    ],
    [
      'an error beside an empty choice',
      CHAT,
      event({ choices: [{ delta: {} }], error: { message: 'x' } }) + DONE,
    ],
    ['an error that is text', CHAT, event({ error: 'no' }) + DONE],
    ['an error that is true', CHAT, event({ error: true }) + DONE],
    ['legacy: an empty text and `[DONE]`', LEGACY, legacyChunk('') + DONE],
    ['legacy: finish_reason `abort`', LEGACY, legacyChunk('', 'abort') + DONE],
  ])('%s goes to the next route and is charged', async (_what, path, text) => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(text),
    );
    const reply = await api.chat(asked(path, true), { path });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect(reply.text).toContain('t9');
    const record = await api.callOf(reply);
    expect(record).toMatchObject({ outcome: 'completed' });
    expect(record.attempts[0]?.outcome).not.toBe('completed');
    expect((await standingOf(api, faultyId)).isBlamed).toBe(true);
  });

  it.each([
    ['half a text, then `[DONE]`', textChunk('one ') + DONE],
    ['half a text, then the end', textChunk('one ')],
    [
      'one of two choices',
      textChunk('one ') + event({ choices: [{ index: 1, delta: { content: 'x' } }] }) + finishChunk() + DONE,
    ],
    ['a text that was aborted', textChunk('one ') + finishChunk('abort') + DONE],
    ['a hidden error', textChunk('one ') + event({ detail: 'boom' }) + DONE],
    ['an error field', `${textChunk('one ')}error: {"code":500,"message":"boom"}\n\n${DONE}`],
  ])('%s ends with an error event after the content', async (_what, text) => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(text),
    );
    const reply = await api.chat(aChat({ stream: true }));
    const data = dataOf(reply.text);
    expect(data[0]).toContain('one ');
    expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({ error: { type: 'server_error', param: null } });
    expect(reply.text).not.toContain('[DONE]');
    const record = await api.callOf(reply);
    expect([record.outcome === 'completed', record.sample === 'recorded']).toEqual([false, false]);
    expect(await standingOf(api, faultyId)).toMatchObject({ isBlamed: true, samples: 0 });
  });

  it.each([
    ['a word of its own', finishChunk('unload')],
    ['an object', event({ choices: [{ index: 0, delta: {}, finish_reason: { type: 'stop' } }] })],
    ['one choice of the two asked for', finishChunk('stop')],
  ])('with content and a finish reason that is %s is whole', async (_what, finish) => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(ROLE + textChunk('one ') + finish + DONE),
    );
    const reply = await api.chat(aChat({ stream: true, n: 2 }));
    expect(reply.text).toBe(ROLE + textChunk('one ') + finish + DONE);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed' });
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it('of a server that never sends finish reasons is whole at its `[DONE]`', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).end('abcdefghij'.split('').map(textChunk).join('') + DONE);
    });
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm', finish_reason: 'never' });
    const reply = await api.chat(aChat({ stream: true }));
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'recorded' });
  });
});

describe('C03 JSON that is no completion', () => {
  const message = { role: 'assistant', content: 'x' };
  it.each([
    ['{}', CHAT, {}],
    ['empty choices', CHAT, { choices: [] }],
    ['null choices', CHAT, { choices: null }],
    ['choices that are an object', CHAT, { choices: {} }],
    ['an empty choice', CHAT, { choices: [{}] }],
    ['a choice that is null', CHAT, { choices: [null] }],
    ['a reason without a message', CHAT, { choices: [{ finish_reason: 'stop' }] }],
    ['one choice of two without a message', CHAT, { choices: [{ message, finish_reason: 'stop' }, {}] }],
    ['an empty message without a reason', CHAT, { choices: [{ message: { content: '' } }] }],
    ['usage alone', CHAT, { usage: { completion_tokens: 50 } }],
    ['a list', CHAT, []],
    ['null', CHAT, 'null'],
    ['text', CHAT, 'ok'],
    ['nothing', CHAT, ''],
    ['a page', CHAT, '<html></html>'],
    ['an abort', CHAT, { choices: [{ message: { content: '' }, finish_reason: 'abort' }] }],
    ['an abort with content', CHAT, { choices: [{ message, finish_reason: 'abort' }] }],
    ['a detail', CHAT, { detail: 'no' }],
    ['a list of details', CHAT, { detail: [{ loc: ['body'], msg: 'Field required' }] }],
    ['a message and a code', CHAT, { message: 'no', code: 'internal' }],
    ['object `error`', CHAT, { object: 'error', message: 'no' }],
    [
      'an error in a choice',
      CHAT,
      { choices: [{ message, error: { message: 'x' }, finish_reason: 'error' }] },
    ],
    ['an error beside choices', CHAT, { choices: [{ message }], error: { message: 'x' } }],
    ['an error that is a number', CHAT, { error: 500 }],
    ['legacy: a choice without text', LEGACY, { choices: [{ finish_reason: 'stop' }] }],
    ['legacy: an abort', LEGACY, { choices: [{ text: '', finish_reason: 'abort' }] }],
  ])('%s goes to the next route and is charged', async (_what, path, body) => {
    const { api, faultyId } = await twoRoutes(stage, (response) => sendJson(response, 200, body));
    const reply = await api.chat(asked(path, false), { path });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
    expect(reply.text).toContain('t9');
    expect((await standingOf(api, faultyId)).isBlamed).toBe(true);
  });

  it.each([
    [{ error: { message: 'too many', code: 'rate_limit_exceeded' } }, 429, false],
    [{ error: { message: 'bad', type: 'invalid_request_error', code: 400 } }, 400, false],
    [{ detail: 'boom' }, 502, true],
    [{ message: 'no key', code: 401 }, 502, true],
  ])('%j has the class of its own code', async (body, status, isBlamed) => {
    const { api, faultyId } = await twoRoutes(stage, (response) => sendJson(response, 200, body));
    const reply = await api.chat(aChat({ route: [faultyId] }));
    expect(reply.status).toBe(status);
    expect(errorOf(reply).message).not.toBe('');
    expect((await standingOf(api, faultyId)).isBlamed).toBe(isBlamed);
  });

  it('content without a finish reason is delivered and is no sample', async () => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      sendJson(response, 200, { choices: [{ message }], usage: { completion_tokens: 50 } }),
    );
    const reply = await api.chat(aChat());
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '1']);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'no_finish_reason' });
    expect(await standingOf(api, faultyId)).toMatchObject({ isBlamed: false, samples: 0 });
  });

  it('a finish reason that is nested too deeply to be printed is a reason all the same', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const { api } = await twoRoutes(stage, (response) =>
      sendJson(response, 200, `{"choices":[{"message":{"content":"x"},"finish_reason":${deep}}]}`),
    );
    const reply = await api.chat(aChat());
    expect([reply.status, (await api.callOf(reply)).outcome]).toEqual([200, 'completed']);
  });

  it('an error object whose members are empty is none', async () => {
    const { api } = await twoRoutes(stage, (response) =>
      sendJson(response, 200, {
        choices: [{ message, finish_reason: 'stop' }],
        error: { code: 0, message: '' },
      }),
    );
    expect((await api.chat(aChat())).headers['x-meshnet-attempts']).toBe('1');
  });
});

describe('C04 the SSE field `error:`', () => {
  it.each([
    ['error: {"code":500,"message":"boom","type":"server_error"}\n\n', 500],
    ['error: {"error":{"code":400,"message":"boom"}}\n\n', 400],
    ['error: boom\n\n', 502],
  ])('%j reaches the client as an error of its class', async (text, status) => {
    const { api, faultyId } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(text + DONE),
    );
    const reply = await api.chat(aChat({ stream: true, route: [faultyId] }));
    expect([reply.status, errorOf(reply).message]).toEqual([status, 'boom']);
  });

  it('before any content goes to the next route', async () => {
    const { api } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(`error: {"code":500,"message":"boom"}\n\n${DONE}`),
    );
    const reply = await api.chat(aChat({ stream: true }));
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
  });
});
