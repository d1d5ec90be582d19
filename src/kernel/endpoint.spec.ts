import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EndpointFault, normaliseEndpoint } from './index.js';

function faultOf(text: string): string {
  try {
    return `no fault: ${normaliseEndpoint(text)}`;
  } catch (fault) {
    if (fault instanceof EndpointFault) return fault.message;
    throw fault;
  }
}

describe('normaliseEndpoint', () => {
  it.each([
    ['http://h:9001', 'http://h:9001'],
    ['http://h:9001/', 'http://h:9001'],
    ['http://h:9001/v1', 'http://h:9001'],
    ['http://h:9001/v1/', 'http://h:9001'],
    ['http://h:9001//v1//', 'http://h:9001'],
    ['HTTP://H.Example:9001/V1', 'http://h.example:9001/V1'],
    ['http://h:80/', 'http://h'],
    ['https://h:443', 'https://h'],
    ['https://h:80', 'https://h:80'],
    ['http://h/vllm', 'http://h/vllm'],
    ['http://h/vllm/v1', 'http://h/vllm'],
    ['http://h/vllm/v1/', 'http://h/vllm'],
    ['http://h//vllm///v1', 'http://h/vllm'],
    ['http://h/a/b', 'http://h/a/b'],
    ['http://h/v10', 'http://h/v10'],
    ['http://h/xv1', 'http://h/xv1'],
    ['http://h/v1/models', 'http://h/v1/models'],
    ['http://[::1]:9001', 'http://[::1]:9001'],
    ['http://[::1]:9001/', 'http://[::1]:9001'],
    ['http://[0:0:0:0:0:0:0:1]:9001/v1', 'http://[::1]:9001'],
    ['http://[2606:4700::A]/v1', 'http://[2606:4700::a]'],
    ['http://127.1:80', 'http://127.0.0.1'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://0x7f.1:9001', 'http://127.0.0.1:9001'],
    ['http://[::ffff:127.0.0.1]:9001', 'http://127.0.0.1:9001'],
    ['http://[::ffff:a00:7]/v1', 'http://10.0.0.7'],
    ['http://h/%76%31', 'http://h'],
    ['http://h/%7Ea%2fb%2e', 'http://h/~a%2Fb%2E'],
    ['http://localhost:9001', 'http://localhost:9001'],
  ])('spells %s as %s', (text, spelled) => {
    expect(normaliseEndpoint(text)).toBe(spelled);
  });

  it.each([
    ['', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['h:9001', 'must start with http:// or https://'],
    ['10.0.0.7:8000', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['/v1', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['http://', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['http://::1:9001', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['http://h:65536', 'must be an absolute URL such as http://10.0.0.7:8000'],
    ['ftp://h', 'must start with http:// or https://'],
    ['ws://h', 'must start with http:// or https://'],
    ['javascript:alert(1)', 'must start with http:// or https://'],
    ['http://user@h', 'must not contain user:password@'],
    ['http://user:secret@h', 'must not contain user:password@'],
    ['http://:secret@h', 'must not contain user:password@'],
    ['http://h?key=secret', 'must not contain a query'],
    ['http://h/?', 'must not contain a query'],
    ['http://h#part', 'must not contain a fragment'],
    ['http://h/#', 'must not contain a fragment'],
    ['http://h:0', 'must not have port 0'],
    ['http://0.0.0.0:9001', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://0', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://0x0:80', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://0.0.0.0.:80', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://[::]:9001', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://[0::0]', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    ['http://[::ffff:0.0.0.0]', 'must be an address that can be called, not 0.0.0.0 or [::]'],
    [' http://h', 'must not contain blanks or control characters'],
    ['http://h ', 'must not contain blanks or control characters'],
    ['http://h/a b', 'must not contain blanks or control characters'],
    ['http://h\n:9001', 'must not contain blanks or control characters'],
    ['http://h\u0000', 'must not contain blanks or control characters'],
    ['http://h/\u007f', 'must not contain blanks or control characters'],
  ])('refuses %j', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('never repeats a refused address, which may hold a password', () => {
    for (const text of [
      'http://canary:canary@h',
      'http://h?canary',
      'canary',
      'ftp://canary',
      'http://canary:0',
    ]) {
      expect(faultOf(text)).not.toContain('canary');
    }
  });

  it('leaves its own spellings as they are', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: false, withFragments: false }), (url) => {
        const once = normaliseEndpoint(url);
        // `/v1/v1` is the one path that has something left to trim; nobody serves there.
        fc.pre(!once.endsWith('/v1'));
        expect(normaliseEndpoint(once)).toBe(once);
      }),
    );
  });
});
