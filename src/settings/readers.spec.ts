import { describe, expect, it } from '@jest/globals';
import {
  readCollectorBase,
  readCollectorUrl,
  readEndpoint,
  readHeaders,
  readHost,
  readNumber,
  readText,
} from './readers.js';

describe('readNumber', () => {
  it('reads what a query may say as well', () => {
    expect(['.5', '1e-1', '0x10', ''].map(readNumber)).toEqual([0.5, 0.1, undefined, undefined]);
  });
});

describe('readText', () => {
  it('takes a text as it is', () => {
    expect(readText('a b')).toBe('a b');
  });
});

describe('readEndpoint', () => {
  it('spells an endpoint as all rooms do, and cannot read what is none', () => {
    expect(readEndpoint('http://h:8000/v1/')).toBe('http://h:8000');
    expect(readEndpoint('h:8000')).toBeUndefined();
  });

  it('hides no fault of our own behind one of the operator', () => {
    expect(() => readEndpoint(Symbol('no text') as unknown as string)).toThrow(TypeError);
  });
});

describe("a collector's URL", () => {
  it.each(['http://127.0.0.1:4318', 'https://c.example/otlp/', 'http://[::1]:4318/v1/traces'])(
    'is read as it is written: %s',
    (text) => {
      expect(readCollectorUrl(text)).toBe(text);
      expect(readCollectorBase(text)).toBe(text);
    },
  );

  it('may have a query only where nothing is appended', () => {
    expect(readCollectorUrl('https://c/v1/traces?key=a')).toBe('https://c/v1/traces?key=a');
    expect(readCollectorBase('https://c?key=a')).toBeUndefined();
  });

  it.each(['', 'localhost:4318', 'grpc://c:4317', 'http://u@c', 'http://:p@c', 'http://c#f', 'http://c /v1'])(
    'is none: %j',
    (text) => {
      expect(readCollectorUrl(text)).toBeUndefined();
      expect(readCollectorBase(text)).toBeUndefined();
    },
  );
});

describe('readHeaders', () => {
  it('reads names and percent-encoded values', () => {
    expect(readHeaders('Api-Key=a%2Cb==, authorization = Bearer%20x ,,x-empty=')).toEqual({
      'api-key': 'a,b==',
      authorization: 'Bearer x',
      'x-empty': '',
    });
  });

  it.each(['a', '=a', 'a b=c', 'a=%', 'a=%0A', 'a=é', 'ä=a'])('cannot read %j', (text) => {
    expect(readHeaders(text)).toBeUndefined();
  });
});

describe('readHost', () => {
  it.each([
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['localhost', 'localhost'],
    ['0.0.0.0', '0.0.0.0'],
  ])('reads %s as %s, which can be listened on', (text, host) => {
    expect(readHost(text)).toBe(host);
  });
});
