import { describe, expect, it } from '@jest/globals';
import { readChatRequest, type AnswerKind } from './chat-request.js';
import { NodeFault } from './node-faults.js';

const MESSAGES = [{ role: 'user', content: 'hello there' }];

function faultOf(body: unknown, kind: AnswerKind = 'chat'): NodeFault {
  try {
    readChatRequest(body, kind, 'm');
  } catch (fault) {
    if (fault instanceof NodeFault) return fault;
  }
  throw new Error('it was accepted');
}

describe('a request to the reference node', () => {
  it('is read with defaults, null counting as absent', () => {
    const asked = { prompt: 'hello there', maxTokens: 32, stream: false, includeUsage: false };
    expect(readChatRequest({ model: 'm', messages: MESSAGES }, 'chat', 'm')).toEqual(asked);
    const nulls = { stream: null, stream_options: null, max_tokens: null, max_completion_tokens: null };
    expect(readChatRequest({ model: 'm', messages: MESSAGES, ...nulls }, 'chat', 'm')).toEqual(asked);
  });

  it('takes max_completion_tokens over max_tokens', () => {
    const body = { model: 'm', messages: MESSAGES, max_tokens: 5, max_completion_tokens: 7 };
    expect(readChatRequest(body, 'chat', 'm').maxTokens).toBe(7);
  });

  it('takes a prompt of one text or several', () => {
    expect(readChatRequest({ model: 'm', prompt: 'one' }, 'text', 'm').prompt).toBe('one');
    expect(readChatRequest({ model: 'm', prompt: ['one', 'two'] }, 'text', 'm').prompt).toBe('one\ntwo');
  });

  it.each([
    ['model', { model: 7 }],
    ['messages', { messages: undefined }],
    ['messages', { messages: 'hello' }],
    ['messages', { messages: [null] }],
    ['messages', { messages: [{ content: 'hello' }] }],
    ['messages', { messages: [{ role: 'user', content: 7 }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }] }] }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_completion_tokens', { max_completion_tokens: '9' }],
    ['stream', { stream: 'yes' }],
    ['stream_options', { stream_options: true }],
    ['stream_options.include_usage', { stream_options: { include_usage: 1 } }],
  ])('is refused with the name of its field: %s', (param, fields) => {
    const fault = faultOf({ model: 'm', messages: MESSAGES, ...fields });
    expect([fault.status, fault.param]).toEqual([400, param]);
  });

  it('is refused when it is no object, has no prompt, or is for another model', () => {
    expect(faultOf([]).status).toBe(400);
    expect(faultOf({ model: 'm', prompt: [1] }, 'text').param).toBe('prompt');
    expect(faultOf({ model: 'm', prompt: [] }, 'text').param).toBe('prompt');
    expect(faultOf({ model: 'n', messages: MESSAGES }).toBody()).toMatchObject({
      error: { type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
    });
  });
});
