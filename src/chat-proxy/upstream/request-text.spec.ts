import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeadFault } from './head-fault.js';
import { requestText } from './request-text.js';

describe('what is sent to a head', () => {
  it('is a request line, a line for each header, and the length of the body', () => {
    const headers = { 'x-request-id': 'r', 'x-two': ['a', 'b'] };
    expect(requestText('/base/v1/chat/completions', 'gpu:8000', headers, 12)).toBe(
      [
        ...['POST /base/v1/chat/completions HTTP/1.1', 'host: gpu:8000', 'connection: keep-alive'],
        ...['x-request-id: r', 'x-two: a', 'x-two: b', 'content-length: 12', '', ''],
      ].join('\r\n'),
    );
  });

  it.each(['a\r\nx: b', 'a\nb', 'a\0', '\u0100', 'a\x7f'])('holds no value that is none: %j', (value) => {
    for (const given of [value, ['a', value]]) {
      expect(() => requestText('/', 'h', { x: given }, 0)).toThrow(HeadFault);
    }
  });

  it.each(['', 'a b', 'a:', 'a\r\n', 'é'])('holds no name that is none: %j', (name) => {
    expect(() => requestText('/', 'h', { [name]: 'a' }, 0)).toThrow(HeadFault);
  });

  it.each(['/a b', '/a\r\n', '/é', '/a\t'])('holds no path that is none: %j', (path) => {
    expect(() => requestText(path, 'h', {}, 0)).toThrow(HeadFault);
  });

  it('never has more lines than headers', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'binary' })), (headers) => {
        try {
          const lines = requestText('/', 'h', headers, 0).split(/\r\n|\r|\n/);
          expect(lines).toHaveLength(Object.keys(headers).length + 6);
        } catch (fault) {
          expect(fault).toBeInstanceOf(HeadFault);
        }
      }),
    );
  });
});
