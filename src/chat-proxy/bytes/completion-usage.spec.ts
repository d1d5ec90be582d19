import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_FACTS, readAnswer, readChunk, type ChunkFacts } from './completion-usage.js';

function chunk(payload: unknown, eventName: string | null = null): ChunkFacts {
  return readChunk(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)), eventName);
}

function delta(fields: unknown): unknown {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }], usage: null };
}

describe('reading a chunk', () => {
  it.each(['[DONE]', ' [DONE] ', '\t[DONE]\r\n'])('takes %j for the end', (text) => {
    expect(chunk(text)).toEqual({ ...NO_FACTS, done: true });
  });

  it.each(['[DONE', '["[DONE]"]', '{"a":"[DONE]"}', '[done]'])('does not take %j for the end', (text) => {
    expect(chunk(text).done).toBe(false);
  });

  it('finds usage beside choices, and calls it usage-only where choices are empty', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 40, total_tokens: 47 };
    const counts = { promptTokens: 7, completionTokens: 40 };
    expect(chunk({ choices: [], usage })).toMatchObject({ usage: counts, usageOnly: true });
    expect(chunk({ choices: [{ delta: {} }], usage })).toMatchObject({ usage: counts, usageOnly: false });
    expect(chunk({ usage })).toMatchObject({ usage: counts, usageOnly: false });
    expect(chunk({ choices: [], usage: null })).toMatchObject({ usage: null, usageOnly: false });
    expect(chunk({ choices: [], usage, error: 'late' })).toMatchObject({ usage: counts, usageOnly: false });
  });

  it.each(['-1', 'NaN', '1e309', '-1e309', '"12"', '1.5', 'null', '[3]', 'true', '9007199254740993'])(
    'does not take %s for a count of tokens',
    (count) => {
      const text = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":${count}}}`;
      expect(chunk(text).usage?.completionTokens ?? null).toBeNull();
      expect(readAnswer(Buffer.from(text)).usage?.completionTokens ?? null).toBeNull();
    },
  );

  it('takes a count of zero as zero (B39)', () => {
    expect(chunk({ choices: [], usage: { completion_tokens: 0 } }).usage).toEqual({
      promptTokens: null,
      completionTokens: 0,
    });
  });

  it.each([
    ['text', { content: 'x' }],
    ['a blank', { content: ' ' }],
    ['parts', { content: [{ type: 'text', text: 'x' }] }],
    ['reasoning', { reasoning: 'x' }],
    ['reasoning_content', { content: null, reasoning_content: 'x' }],
    ['a refusal', { refusal: 'x' }],
    ['a tool call by name', { tool_calls: [{ function: { name: 'f', arguments: '' } }] }],
    ['tool arguments', { tool_calls: [{ function: { name: '' } }, { function: { arguments: '{' } }] }],
    ['a legacy function call', { function_call: { arguments: '{' } }],
  ])('counts %s as content', (_name, fields) => {
    expect(chunk(delta(fields)).hasContent).toBe(true);
  });

  it.each([
    ['a role', { role: 'assistant' }],
    ['a role with empty text', { role: 'assistant', content: '' }],
    ['nothing', {}],
    ['nulls', { content: null, reasoning: null, refusal: null, tool_calls: null, function_call: null }],
    ['an empty tool call', { tool_calls: [{ index: 0, function: { name: '', arguments: '' } }] }],
    ['odd tool calls', { tool_calls: [null, 1, { function: 'f' }] }],
    ['a number', { content: 5 }],
    ['no object', 'x'],
  ])('does not count %s as content', (_name, fields) => {
    expect(chunk(delta(fields)).hasContent).toBe(false);
  });

  it('reads completions text as content, of any choice', () => {
    expect(chunk({ choices: [null, { text: '' }, { text: 'x' }] }).hasContent).toBe(true);
    expect(chunk({ choices: [{ text: '' }, 'x'] }).hasContent).toBe(false);
    expect(chunk({ choices: 'x' }).hasContent).toBe(false);
  });

  it('calls a stream finished by a reason only', () => {
    const finished = (reason: unknown): boolean =>
      chunk({ choices: [{ finish_reason: null }, { finish_reason: reason }] }).finished;
    expect(finished('stop')).toBe(true);
    expect(finished('')).toBe(false);
    expect(finished(null)).toBe(false);
    expect(finished(undefined)).toBe(false);
  });

  it.each([
    [{ error: { message: 'bad', code: 400 } }, { code: 400, codeText: null, message: 'bad' }],
    [{ error: { message: 'bad', code: '502' } }, { code: 502, codeText: '502', message: 'bad' }],
    [
      { error: { code: 'server_error', status: 503 } },
      { code: 503, codeText: 'server_error', message: null },
    ],
    [{ error: { code: null, status: 'UNAVAILABLE' } }, { code: null, codeText: null, message: null }],
    [{ error: { code: 502.5, message: 7 } }, { code: null, codeText: null, message: null }],
    [{ error: {} }, { code: null, codeText: null, message: null }],
    [{ error: 'no model' }, { code: null, codeText: null, message: 'no model' }],
    [
      { error: 'down', status: 503, message: 'x' },
      { code: 503, codeText: null, message: 'down' },
    ],
    [
      { object: 'error', message: 'long', code: 400 },
      { code: 400, codeText: null, message: 'long' },
    ],
  ])('finds the error in %j (B17)', (payload, expected) => {
    const facts = chunk(payload);
    expect(facts.error).toMatchObject({ ...expected, nodeId: null });
    expect(facts).toMatchObject({ hasContent: false, finished: false, done: false, parsed: true });
  });

  it('hears which hop failed', () => {
    expect(chunk({ error: { code: 'hop_failed', node_id: 'w.gpu:22-39' } }).error).toEqual({
      code: null,
      codeText: 'hop_failed',
      type: null,
      param: null,
      message: null,
      nodeId: 'w.gpu:22-39',
    });
  });

  it('sees no error where error is null, empty or no error at all', () => {
    for (const error of [null, '', false, 0, [], undefined]) {
      expect(chunk({ error, choices: [] }).error).toBeNull();
    }
  });

  it('takes an event named error for one, whatever its payload', () => {
    expect(chunk({ message: 'gone', code: 500 }, 'error').error).toMatchObject({
      code: 500,
      message: 'gone',
    });
    expect(chunk({ error: { message: 'in' }, message: 'out' }, 'error').error?.message).toBe('in');
    expect(chunk('gone', 'error')).toMatchObject({ parsed: false, error: { code: null, message: 'gone' } });
    expect(chunk({ message: 'hi' }, 'message').error).toBeNull();
  });

  it('says that text which is no JSON is not parsed, and has nothing', () => {
    expect(chunk('{"choices":')).toEqual(NO_FACTS);
    expect(chunk('')).toEqual(NO_FACTS);
    expect(chunk('7')).toEqual({ ...NO_FACTS, parsed: true });
  });

  it('never throws, whatever the bytes', () => {
    const inChoices = fc
      .jsonValue()
      .map((value) => JSON.stringify({ choices: [{ delta: value }, value], usage: value }));
    const bytes = fc.oneof(fc.json(), inChoices, fc.uint8Array());
    fc.assert(
      fc.property(bytes, fc.option(fc.string()), (some, name) => {
        const buf = Buffer.from(some as string);
        readChunk(buf, name);
        readAnswer(buf);
      }),
    );
    readChunk(Buffer.from('['.repeat(1_000_000)));
  });
});

describe('reading a whole answer', () => {
  it('says an error in the words that were sent', () => {
    const said = 'schräg 😀 日本';
    const { error } = readAnswer(Buffer.from(JSON.stringify({ error: { message: said, code: 'ü' } })));
    expect([error?.message, error?.codeText ?? error?.code]).toEqual([said, 'ü']);
  });

  it('finds JSON where there is JSON in UTF-8, and nowhere else', () => {
    const piece = fc.oneof(
      fc.json(),
      fc.constantFrom('{', '}', '"', ' ', '\u00a0', '\ufeff', 'é', '\u2028', '"a":1', ','),
      fc.uint8Array({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const bytes = Buffer.concat(pieces.map((each) => Buffer.from(each as string)));
        expect(readAnswer(bytes).parsed).toBe(isObjectInUtf8(bytes));
      }),
    );
  });

  it('finds usage and choices', () => {
    const answer = {
      choices: [{ message: { content: 'x' } }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    expect(readAnswer(Buffer.from(JSON.stringify(answer)))).toEqual({
      usage: { promptTokens: 1, completionTokens: 2 },
      error: null,
      isErrorHidden: false,
      choices: [{ index: 0, hasMessage: true, hasContent: true, hasToolCall: false, reason: null }],
      model: null,
      parsed: true,
    });
  });

  it('finds an error inside a 200 (B19)', () => {
    expect(readAnswer(Buffer.from('{"error":{"message":"up","code":502}}'))).toMatchObject({
      error: { code: 502, message: 'up' },
      choices: null,
      parsed: true,
    });
    expect(readAnswer(Buffer.from('{"choices":[]}')).choices).toEqual([]);
  });

  it('is not parsed where it is no JSON', () => {
    expect(readAnswer(Buffer.from('<html>'))).toEqual({
      usage: null,
      error: null,
      isErrorHidden: false,
      choices: null,
      model: null,
      parsed: false,
    });
    for (const text of ['[]', 'null', '7', '"x"']) expect(readAnswer(Buffer.from(text)).parsed).toBe(false);
  });
});

function isObjectInUtf8(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
