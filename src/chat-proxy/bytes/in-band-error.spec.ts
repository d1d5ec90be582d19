import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  errorOf,
  errorOfText,
  findError,
  isFilled,
  isJsonObject,
  statusOfError,
  type InBandError,
  type JsonObject,
} from './in-band-error.js';

const NO_ERROR: InBandError = {
  ...{ code: null, codeText: null, type: null, param: null, message: null, nodeId: null },
};

function anError(stated: Partial<InBandError> = {}): InBandError {
  return { ...NO_ERROR, ...stated };
}

function shown(stated: Partial<InBandError>): unknown {
  return { error: anError(stated), isHidden: false };
}

function hidden(stated: Partial<InBandError>): unknown {
  return { error: anError(stated), isHidden: true };
}

/** The error of an answer with a choice, which carries these fields. */
function inChoice(fields: object): unknown {
  return findError({ choices: [{ index: 0, message: {} }, fields] }, true);
}

describe('a member `error`', () => {
  it.each<[unknown, Partial<InBandError>]>([
    [
      { message: 'boom', type: 'server_error', code: 500, param: 'n' },
      { message: 'boom', type: 'server_error', code: 500, param: 'n' },
    ],
    [{ code: '502' }, { code: 502, codeText: '502' }],
    [
      { code: 'hop_failed', node_id: 'w:all' },
      { codeText: 'hop_failed', nodeId: 'w:all' },
    ],
    [{ status: 404 }, { code: 404 }],
    [
      { code: 'x', status: '404' },
      { code: 404, codeText: 'x' },
    ],
    [{ code: 400, status: 404 }, { code: 400 }],
    [{ msg: 'boom' }, { message: 'boom' }],
    [{ message: 'a', msg: 'b' }, { message: 'a' }],
    [{ message: 1, type: null, param: [], node_id: {} }, {}],
    [{}, {}],
    ['boom', { message: 'boom' }],
    [true, {}],
    [503, { code: 503 }],
    [-1, { code: -1 }],
    [0.5, {}],
  ])('%j is an error that clients see', (error, stated) => {
    expect(findError({ error }, false)).toEqual(shown(stated));
  });

  it.each([null, undefined, '', false, 0, []])('%j is none', (error) => {
    expect(findError({ error }, false)).toBeNull();
    expect(findError({ error, choices: [{}] }, true)).toBeNull();
  });

  it('that is no object is described by the fields around it', () => {
    const around = { message: 'more', code: 429, type: 't', node_id: 'w' };
    expect(findError({ error: 'boom', ...around }, false)).toEqual(
      shown({ message: 'boom', code: 429, type: 't', nodeId: 'w' }),
    );
    expect(findError({ error: true, ...around }, false)).toEqual(
      shown({ message: 'more', code: 429, type: 't', nodeId: 'w' }),
    );
    expect(findError({ error: 500, ...around }, false)).toEqual(
      shown({ message: 'more', code: 500, type: 't', nodeId: 'w' }),
    );
  });

  it('counts with choices too, and before any other place', () => {
    const answer = { error: { code: 400 }, object: 'error', detail: 'd', message: 'm', code: 500 };
    expect(findError(answer, false)).toEqual(shown({ code: 400 }));
    expect(findError({ ...answer, choices: [{ error: 'c' }] }, true)).toEqual(shown({ code: 400 }));
  });
});

describe('an error object without content', () => {
  it.each([{}, { message: '' }, { message: null, code: 0, type: '', fatal: false }])(
    '%j is none with choices, and one without',
    (error) => {
      expect(findError({ error, choices: [{}] }, true)).toBeNull();
      expect(findError({ error }, false)).not.toBeNull();
    },
  );

  it.each([{ message: 'a' }, { code: 1 }, { code: -1 }, { fatal: true }, { message: ' ' }])(
    'is not %j',
    (error) => {
      expect(findError({ error, choices: [{}] }, true)).not.toBeNull();
    },
  );
});

describe('a hidden error', () => {
  it('is an answer whose object is "error", also with choices', () => {
    const answer = { object: 'error', message: 'boom', type: 'BadRequestError', param: null, code: 400 };
    const found = hidden({ message: 'boom', type: 'BadRequestError', code: 400 });
    expect(findError(answer, false)).toEqual(found);
    expect(findError({ ...answer, choices: [{}] }, true)).toEqual(found);
    expect(findError({ object: 'chat.completion' }, false)).toBeNull();
  });

  it.each<[unknown, string | null]>([
    ['Not Found', 'Not Found'],
    [[{ loc: ['body', 'n'], msg: 'too large', type: 'int' }, { msg: 'too long' }], 'too large; too long'],
    [[{ message: 'a' }, 'b', 1, {}, null], 'a; b'],
    [[{ loc: [] }], null],
    [{ msg: 'a', message: 'b' }, 'a'],
    [{ message: 'b' }, 'b'],
    [{}, null],
  ])('is a detail, as FastAPI has it: %j', (detail, message) => {
    expect(findError({ detail }, false)).toEqual(hidden({ message }));
  });

  it('takes code and type from the fields around its detail', () => {
    expect(findError({ detail: 'a', code: 422, type: 't', message: 'm' }, false)).toEqual(
      hidden({ message: 'a', code: 422, type: 't' }),
    );
  });

  it.each(['', [], null, undefined, 1, true])('is not a detail of %j', (detail) => {
    expect(findError({ detail }, false)).toBeNull();
  });

  it.each([
    [
      { message: 'boom', code: 500 },
      { message: 'boom', code: 500 },
    ],
    [
      { message: 'boom', code: 'x' },
      { message: 'boom', codeText: 'x' },
    ],
    [
      { msg: 'boom', code: '500' },
      { message: 'boom', code: 500, codeText: '500' },
    ],
    [
      { msg: 'boom', code: 0 },
      { message: 'boom', code: 0 },
    ],
  ])('is a message with a code: %j', (answer, stated) => {
    expect(findError(answer, false)).toEqual(hidden(stated));
  });

  it.each<JsonObject>([
    { message: 'boom' },
    { code: 500 },
    { message: '', code: 500 },
    { message: 'boom', code: '' },
    { message: 'boom', code: null },
    { message: 'boom', code: 1.5 },
    { message: { content: 'a' }, code: 500 },
    {},
    { usage: { prompt_tokens: 1 } },
  ])('is not %j', (answer) => {
    expect(findError(answer, false)).toBeNull();
  });

  it('is neither a detail nor a message with a code where the answer has choices', () => {
    const choices = [{ index: 0, message: { content: 'Hi' } }];
    expect(findError({ choices, detail: 'a' }, true)).toBeNull();
    expect(findError({ choices, message: 'a', code: 500 }, true)).toBeNull();
  });
});

describe('an error inside a choice', () => {
  it('is hidden, whichever choice it stands in', () => {
    expect(inChoice({ error: { code: 502, message: 'boom' } })).toEqual(
      hidden({ code: 502, message: 'boom' }),
    );
    expect(inChoice({ error: 'boom' })).toEqual(hidden({ message: 'boom' }));
    expect(inChoice({ error: true, code: 400 })).toEqual(hidden({ code: 400 }));
    expect(findError({ choices: [{ error: { code: 1 } }, { error: { code: 2 } }] }, true)).toEqual(
      hidden({ code: 1 }),
    );
  });

  it('is none where its members are empty, or it is no error', () => {
    for (const error of [null, '', {}, { message: '' }, 0, false]) expect(inChoice({ error })).toBeNull();
    for (const choices of [undefined, {}, [null, 'a', 1, []]])
      expect(findError({ choices }, true)).toBeNull();
  });
});

describe('an event named `error`', () => {
  it('says what its JSON says, in any of the places', () => {
    expect(errorOfText('…', { error: { code: 400, message: 'boom' } })).toEqual(
      anError({ code: 400, message: 'boom' }),
    );
    expect(errorOfText('…', { detail: 'boom' })).toEqual(anError({ message: 'boom' }));
    expect(errorOfText('…', { message: 'boom' })).toEqual(anError({ message: 'boom' }));
    expect(errorOfText('…', {})).toEqual(NO_ERROR);
  });

  it.each([undefined, null, 'text', 5, []])('says its text where that is no JSON object: %j', (parsed) => {
    expect(errorOfText('out of memory', parsed)).toEqual(anError({ message: 'out of memory' }));
  });
});

describe('the status of an error', () => {
  it.each([400, 404, 429, 451, 499, 500, 503, 599])('is its code, where that is one: %i', (code) => {
    expect(statusOfError(anError({ code }))).toBe(code);
    expect(statusOfError(errorOf({ code: String(code) }))).toBe(code);
    expect(statusOfError(anError({ code, codeText: 'model_not_found', type: 'rate_limit_error' }))).toBe(
      code,
    );
  });

  it.each([null, 0, -400, 200, 399, 600, 1000])('is 502 with the code %j and no name', (code) => {
    expect(statusOfError(anError({ code }))).toBe(502);
    expect(statusOfError(anError({ code, type: 'server_error', codeText: 'hop_failed' }))).toBe(502);
  });

  it.each([
    ['invalid_request', 400],
    ['invalid_request_error', 400],
    ['bad_request', 400],
    ['BadRequestError', 400],
    ['context_length_exceeded', 400],
    ['exceed_context_size_error', 400],
    ['invalid_api_key', 401],
    ['authentication_error', 401],
    ['insufficient_quota', 402],
    ['permission_error', 403],
    ['PermissionDeniedError', 403],
    ['model_not_found', 404],
    ['not_found_error', 404],
    ['NotFoundError', 404],
    ['request_too_large', 413],
    ['UnprocessableEntityError', 422],
    ['rate_limit_error', 429],
    ['rate_limit_exceeded', 429],
    ['NotImplementedError', 501],
    ['not_supported_error', 501],
  ])('is that of its name %s, in any spelling: %i', (name, status) => {
    const spellings = [name, name.toUpperCase(), name.replaceAll('_', '-'), name.replaceAll('_', ' ')];
    for (const one of spellings) {
      expect(statusOfError(anError({ codeText: one }))).toBe(status);
      expect(statusOfError(anError({ type: one, codeText: 'unheard_of' }))).toBe(status);
    }
  });

  it('is that of its code before that of its type', () => {
    expect(statusOfError(anError({ codeText: 'model_not_found', type: 'invalid_request_error' }))).toBe(404);
    expect(statusOfError(anError({ code: 200, type: 'invalid_request_error' }))).toBe(400);
  });

  it('is from 400 to 599 for any error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (code, status, type) => {
        const found = statusOfError(errorOf({ code, status, type }));
        expect(found >= 400 && found <= 599 && Number.isInteger(found)).toBe(true);
      }),
    );
  });
});

describe('reading JSON', () => {
  it('never throws, and finds no error in what has no member of the table', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (answer, hasChoices) => {
        const found = findError(answer, hasChoices);
        const named = ['error', 'object', 'detail', 'code', 'choices'].some((key) =>
          Object.hasOwn(answer, key),
        );
        if (!named) expect(found).toBeNull();
      }),
    );
  });

  it('tells objects from lists, and filled from empty', () => {
    expect([{}, [], null, 'a', 1].map(isJsonObject)).toEqual([true, false, false, false, false]);
    expect(['a', [0], '', [], {}, null, 1].map(isFilled)).toEqual([
      true,
      true,
      ...Array.from({ length: 5 }, () => false),
    ]);
  });
});
