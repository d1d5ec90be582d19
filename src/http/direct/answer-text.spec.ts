import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KEEP_ALIVE_TIMEOUT_MS } from '../keep-alive.js';
import { answerText } from './answer-text.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const DATE = 'Date: Fri, 02 Jan 2026 03:04:05 GMT';

/** What node:http would write, and what it takes for granted then. */
function byNode(
  status: number,
  set: Map<string, string> | null,
  headers: Record<string, string | string[]>,
): ReturnType<typeof answerText> {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'POST',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
  });
  const response = new ServerResponse(request);
  // As its server tells it.
  Object.assign(response, { _keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS });
  for (const [name, value] of set ?? []) response.setHeader(name, value);
  response.writeHead(status, headers);
  const { _header: text, _last: isLast } = response as unknown as { _header: string; _last: boolean };
  return { text: text.replace(/Date: [^\r]*/, DATE), isChunked: response.chunkedEncoding, isLast };
}

const name = fc.stringMatching(/^x-[a-z0-9]{1,9}$/);
const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/);
const some = fc.dictionary(name, value);
const lists = fc.dictionary(name, fc.array(value, { minLength: 1, maxLength: 3 }));

describe('the head of an answer', () => {
  it('is the very one that Node would write', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(200, 201, 204, 304, 400, 401, 404, 413, 429, 499, 500, 503, 599),
        fc.oneof(fc.constant(null), fc.dictionary(fc.constantFrom('vary', 'allow', 'x-set'), value)),
        some,
        lists,
        fc.constantFrom({}, { 'content-length': '1' }),
        fc.constantFrom({}, {}, { connection: 'close' }),
        fc.boolean(),
        (status, given, one, many, length, connection, isSetBefore) => {
          const all = { ...given, ...(isSetBefore ? connection : {}) };
          const set = Object.keys(all).length === 0 ? null : new Map(Object.entries(all));
          const headers = { ...one, ...many, ...length, ...(isSetBefore ? {} : connection) };
          expect(answerText(status, set, headers, NOW)).toEqual(byNode(status, set, headers));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('says what was set last under a name', () => {
    const { text } = answerText(200, new Map([['vary', 'a']]), { vary: 'b' }, NOW);
    expect(text.match(/vary: ./g)).toEqual(['vary: b']);
  });

  it.each(['a\r\nx: y', 'a\n', 'a\0', 'ā'])('takes no value like %j', (odd) => {
    expect(() => answerText(200, null, { a: odd }, NOW)).toThrow(TypeError);
    expect(() => answerText(200, null, { a: ['b', odd] }, NOW)).toThrow(TypeError);
    expect(() => answerText(200, new Map([['a', odd]]), {}, NOW)).toThrow(TypeError);
  });

  it('tells the second, whichever was told last', () => {
    const dateAt = (ms: number): string | undefined =>
      /Date: [^\r]*/.exec(answerText(200, null, {}, ms).text)?.[0];
    expect(dateAt(NOW)).toBe(DATE);
    expect(dateAt(NOW + 1000)).toBe('Date: Fri, 02 Jan 2026 03:04:06 GMT');
    expect(dateAt(NOW)).toBe(DATE);
  });
});
