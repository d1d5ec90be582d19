import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginPlain } from './answer-head.js';
import { KEEP_ALIVE_TIMEOUT_MS } from './keep-alive.js';

const dates: string[] = [];
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** What an answer looks like on the wire, without its date. */
async function written(
  answer: (response: ServerResponse) => void,
  asked = 'GET / HTTP/1.1\r\n\r\n',
): Promise<string> {
  const options = { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requireHostHeader: false };
  const server = createServer(options, (_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  client.write(asked);
  let got = '';
  client.on('data', (text) => (got += String(text)));
  await once(client, 'data');
  client.destroy();
  server.close();
  await once(server, 'close');
  return got.replace(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/, (date) => {
    dates.push(date);
    return 'Date';
  });
}

function plain(headers: Record<string, string | string[]>): (response: ServerResponse) => void {
  return (response) => {
    expect(beginPlain(response, headers, NOW)).toBe(true);
    response.chunkedEncoding = false;
    response.write('x', 'latin1');
  };
}

function byNode(headers: Record<string, string | string[]>): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, headers);
    response.chunkedEncoding = false;
    response.write('x', 'latin1');
  };
}

const name = fc.stringMatching(/^x-[a-z0-9]{1,9}$/);
const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/);

describe('the head of an answer', () => {
  it('is the very one that Node would write, with a length or without', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), fc.boolean(), async (some, isMeasured) => {
        const headers = { ...some, ...(isMeasured ? { 'content-length': '1' } : {}) };
        expect(await written(plain(headers))).toBe(await written(byNode(headers)));
      }),
      { numRuns: 20 },
    );
  });

  it.each(['a\r\nx: y', 'a\n', 'a\0', 'ā', ['a', 'b']])(
    'is left to Node with a value like %j',
    async (odd) => {
      const said = await written((response) => response.end(String(beginPlain(response, { a: odd }, NOW))));
      expect(said).toMatch(/false$/);
    },
  );

  it('is left to Node where something was set before, or the connection ends', async () => {
    const tried = (response: ServerResponse): void =>
      void response.end(String(beginPlain(response, {}, NOW)));
    expect(await written(tried, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/false$/);
    expect(await written(tried, 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n')).toMatch(/false$/);
    expect(await written(tried, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(/false$/);
    expect(await written((response) => tried(response.setHeader('vary', 'origin')))).toMatch(/false$/);
    expect(await written((response) => tried(response.writeHead(200)))).toContain('false');
  });

  it('says the time that it is given, as Node would', async () => {
    await written(plain({}));
    expect(dates.at(-1)).toBe('Date: Fri, 02 Jan 2026 03:04:05 GMT');
  });

  it('counts as sent', async () => {
    const said = await written((response) => {
      beginPlain(response, {}, NOW);
      response.chunkedEncoding = false;
      response.write(String(response.headersSent), 'latin1');
    });
    expect(said).toMatch(/true$/);
  });
});
