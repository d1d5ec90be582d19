import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidRequestError } from '../../kernel/index.js';
import { parseChatRequest } from './chat-request.js';
import { mustAskUsage, upstreamBody } from './upstream-body.js';

function parse(body: string): ReturnType<typeof parseChatRequest> {
  return parseChatRequest(Buffer.from(body));
}

function refusalOf(body: string): { param: string | null; message: string } {
  try {
    parse(body);
  } catch (fault) {
    expect(fault).toBeInstanceOf(InvalidRequestError);
    return fault as InvalidRequestError;
  }
  throw new Error('it was taken');
}

describe('a chat request', () => {
  it('says what concerns the tracker', () => {
    expect(parse('{"model":"a/b:c"}')).toMatchObject({
      ...{ model: 'a/b:c', stream: false, streamOptions: null, wantsUsage: false, pin: null },
    });
    expect(
      parse('{"model":"m","stream":true,"stream_options":{"include_usage":true,"x":1},"route":["a","b"]}'),
    ).toMatchObject({
      ...{ stream: true, streamOptions: { include_usage: true, x: 1 }, wantsUsage: true, pin: ['a', 'b'] },
    });
  });

  it('says what is written in other scripts, raw or escaped', () => {
    const named = parse('{"model":"モデル/é","route":["ü"],"stream_options":{"x":"ß"}}');
    expect(named).toMatchObject({ model: 'モデル/é', pin: ['ü'], streamOptions: { x: 'ß' } });
    expect(parse('{"model":"\\u00e9"}').model).toBe('é');
    expect(parse('{"model":"é","messages":["京"]}').model).toBe('é');
    expect(parse('{"route":["ü"],"model":"m"}').pin).toEqual(['ü']);
    expect(parse('{"stream_options":{"x":"ß"},"model":"m"}').streamOptions).toEqual({ x: 'ß' });
  });

  it('takes null for not given', () => {
    expect(parse('{"model":"m","stream":null,"stream_options":null,"route":null}')).toMatchObject({
      ...{ stream: false, streamOptions: null, wantsUsage: false, pin: null },
    });
    expect(parse('{"model":"m","stream_options":{"include_usage":null}}').wantsUsage).toBe(false);
  });

  it.each([
    ['', null, 'empty'],
    ['{', null, 'JSON'],
    ['[]', null, 'object'],
    ['null', null, 'object'],
    ['"x"', null, 'object'],
    ['{}', 'model', 'characters'],
    ['{"model":3}', 'model', 'characters'],
    ['{"model":"m","stream":0}', 'stream', 'true or false'],
    ['{"model":"m","stream_options":1}', 'stream_options', 'object'],
    ['{"model":"m","stream_options":[]}', 'stream_options', 'object'],
    ['{"model":"m","stream_options":{"include_usage":1}}', 'stream_options.include_usage', 'true or false'],
    ['{"model":"m","route":"a"}', 'route', 'list'],
    ['{"model":"m","route":[]}', 'route', 'list'],
    ['{"model":"m","route":["a",""]}', 'route', 'list'],
    ['{"model":"m","route":[null]}', 'route', 'list'],
    [`{"model":"m","route":[${'"a",'.repeat(256)}"a"]}`, 'route', '256'],
    ['{"model":"m","model":"m"}', 'model', 'twice'],
    ['{"model":"m","rout\\u0065":["a"],"route":null}', 'route', 'twice'],
  ])('is refused, naming the field: %s', (body, param, word) => {
    const refusal = refusalOf(body);
    expect(refusal.param).toBe(param);
    expect(refusal.message).toContain(word);
  });

  it('is refused without a word of what was sent', () => {
    for (const body of ['{"model":"CANARY', '{"model":"m","stream":"CANARY"}', '{"model":"\\nCANARY"}']) {
      expect(refusalOf(body).message).not.toContain('CANARY');
    }
  });

  it('is parsed or refused, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parse(text);
        } catch (fault) {
          expect(fault).toBeInstanceOf(InvalidRequestError);
        }
      }),
    );
  });
});

describe('the body for a head', () => {
  const bodyOf = (text: string, upstreamModel: string | null = null, askUsage = false): string =>
    upstreamBody(parse(text), upstreamModel, askUsage).toString();

  it('is the very buffer that came, where nothing has to change', () => {
    const request = parse('{"model":"m","x":1e400}');
    expect(upstreamBody(request, null, false)).toBe(request.body);
  });

  it('loses route, be it a pin or null', () => {
    expect(bodyOf('{"route":["a"],"model":"m"}')).toBe('{"model":"m"}');
    expect(bodyOf('{"model":"m","route":null}')).toBe('{"model":"m"}');
  });

  it("gets the node's own name for the model", () => {
    expect(bodyOf('{"model":"m","y":[1.0]}', 'o"wn')).toBe(String.raw`{"model":"o\"wn","y":[1.0]}`);
  });

  it('asks for usage, and keeps the other stream options', () => {
    const asked = '{"model":"m","stream":true,"stream_options":{"include_usage":true}}';
    expect(bodyOf('{"model":"m","stream":true}', null, true)).toBe(asked);
    expect(bodyOf('{"model":"m","stream":true,"stream_options":null}', null, true)).toBe(asked);
    expect(bodyOf('{"stream_options":{"a":1},"model":"m"}', null, true)).toBe(
      '{"stream_options":{"a":1,"include_usage":true},"model":"m"}',
    );
  });

  it('has to ask for usage only in a stream whose client does not', () => {
    const must = (fields: string): boolean => mustAskUsage(parse(`{"model":"m"${fields}}`));
    expect(must('')).toBe(false);
    expect(must(',"stream":true')).toBe(true);
    expect(must(',"stream":true,"stream_options":{"include_usage":false}')).toBe(true);
    expect(must(',"stream":true,"stream_options":{"include_usage":true}')).toBe(false);
    expect(must(',"stream_options":{}')).toBe(false);
  });
});
