import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { aNode, span } from '../../../test/support/builders.js';
import { routeOf } from '../../candidate-enumeration/index.js';
import type { TraceHeaders } from '../../traces/index.js';
import {
  headersForClient,
  headersForHead,
  routeHeader,
  signatureHeader,
  type OwnHeaders,
} from './headers.js';

const MODEL = 'モデル😀/é';
const ROUTE = routeOf(MODEL, [
  {
    node: aNode({ wallet: 'a', model: MODEL, shard: span(0, 1), endpoint: 'http://a' }),
    startLayer: 0,
    endLayer: 1,
  },
  {
    node: aNode({ wallet: 'b', model: MODEL, shard: span(0, 3), endpoint: 'http://b/ü' }),
    startLayer: 2,
    endLayer: 3,
  },
]);

function sent(client: IncomingHttpHeaders, own: Partial<OwnHeaders> = {}) {
  const none = { requestId: 'r', route: ROUTE, via: '1.1 x', access: {}, trace: null, forwarded: null };
  return headersForHead(client, { ...none, ...own });
}

describe('the headers for a head', () => {
  it('keep what is end to end', () => {
    const given = { 'x-custom': 'a', accept: '*/*', 'x-list': ['a', 'b'] as never };
    expect(sent(given)).toMatchObject(given);
  });

  it('lack what belongs to the connection, is named by it, says who the client is, or is not there', () => {
    const dropped = {
      ...{
        connection: 'close, X-Secret , ',
        'x-secret': '1',
        'keep-alive': '5',
        te: 'trailers',
        trailer: 'x',
      },
      ...{ 'transfer-encoding': 'chunked', upgrade: 'h2c', 'proxy-connection': 'x', expect: '100-continue' },
      ...{ 'proxy-authenticate': 'x', 'proxy-authorization': 'x', host: 'h', 'content-length': '1' },
      ...{
        authorization: 'x',
        'api-key': 'x',
        'x-api-key': 'x',
        cookie: 'x',
        origin: 'https://page',
        referer: 'https://page/',
        'content-encoding': 'identity',
      },
      absent: undefined,
    };
    expect(Object.keys(sent(dropped)).sort()).toEqual([
      'accept-encoding',
      'content-type',
      'via',
      'x-meshnet-route',
      'x-request-id',
    ]);
  });

  it('are so many characters at most, what is too long left out', () => {
    const long = { 'x-one': 'x'.repeat(4000), 'x-two': 'x'.repeat(4000), 'x-three': 'x' };
    expect(Object.keys(sent(long)).filter((name) => name.startsWith('x-'))).toEqual([
      'x-request-id',
      'x-meshnet-route',
      'x-one',
      'x-three',
    ]);
  });

  it("are the relay's own where both have them, and the node's over all", () => {
    const client = {
      ...{ 'content-type': 'text/x', 'accept-encoding': 'br', 'x-request-id': 'c' },
      ...{ 'x-meshnet-route': 'c', 'x-team': 'c' },
    };
    const access = { authorization: 'Bearer k', 'x-team': 'n' };
    expect(sent(client, { access })).toEqual({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'x-request-id': 'r',
      'x-meshnet-route': routeHeader(ROUTE),
      via: '1.1 x',
      authorization: 'Bearer k',
      'x-team': 'n',
    });
  });
});

describe("a client's many headers", () => {
  it("can't push out the node's key, which some servers would no longer see, nor each other's place before it", () => {
    const many = Object.fromEntries(Array.from({ length: 1990 }, (_, n) => [`h${String(n)}`, 'x']));
    const names = Object.keys(sent(many, { access: { authorization: 'Bearer k' } }));
    expect(names.indexOf('authorization')).toBeLessThan(8);
    expect(names).toHaveLength(6 + 512);
    expect(names).toContain('h511');
  });

  it('pass on one that is called like what every object has', () => {
    expect(sent({ constructor: 'x' }).constructor).toBe('x');
  });
});

describe("a head's headers of a trace", () => {
  const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const OURS = { traceparent: `00-${'a'.repeat(32)}-${'c'.repeat(16)}-00`, tracestate: 'ours=1' };
  const traceOf = (client: IncomingHttpHeaders, ours: TraceHeaders | null): object => {
    const { traceparent, tracestate } = sent(client, { trace: ours });
    return { traceparent, tracestate };
  };

  it("are the client's own, if they are sound and nobody here has others", () => {
    const client = { traceparent: TRACEPARENT, tracestate: 'a=1' };
    expect(traceOf(client, null)).toEqual(client);
    expect(traceOf({ traceparent: TRACEPARENT, tracestate: 'A' }, null)).toEqual({
      traceparent: TRACEPARENT,
    });
    expect(traceOf({ traceparent: 'none', tracestate: 'a=1' }, null)).toEqual({});
    expect(traceOf({ tracestate: 'a=1' }, null)).toEqual({});
    expect(traceOf({ ...client, connection: 'traceparent' }, null)).toEqual({});
  });

  it("are ours where there are some, whatever the client's say", () => {
    expect(traceOf({ traceparent: TRACEPARENT, tracestate: 'a=1' }, OURS)).toEqual(OURS);
    expect(traceOf({ traceparent: 'none', tracestate: 'a=1' }, { traceparent: TRACEPARENT })).toEqual({
      traceparent: TRACEPARENT,
    });
  });
});

describe('the headers for a client', () => {
  it("are the head's, less framing, identity and what is the tracker's own", () => {
    const head = {
      ...{ 'content-type': 'text/event-stream', 'retry-after': '3', 'x-ratelimit': '1' },
      ...{ 'content-length': '5', date: 'x', server: 'x', 'set-cookie': ['x'], 'x-request-id': 'x' },
      ...{ 'x-meshnet-route': 'x', 'x-meshnet-route-mode': 'x', 'x-meshnet-attempts': 'x' },
      ...{ connection: 'x-hop', 'x-hop': '1', 'transfer-encoding': 'chunked' },
    };
    expect(headersForClient(head)).toEqual({
      'content-type': 'text/event-stream',
      'retry-after': '3',
      'x-ratelimit': '1',
    });
  });
});

describe('a route in headers', () => {
  it('is one line of ASCII that says every hop', () => {
    const header = routeHeader(ROUTE);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(header)).toEqual({
      hops: [
        { node_id: 'a:0-1', endpoint: 'http://a', start_layer: 0, end_layer: 1 },
        { node_id: 'b:0-3', endpoint: 'http://b/ü', start_layer: 2, end_layer: 3 },
      ],
    });
  });

  it('is percent-encoded as a signature where it is no ASCII, and there alone', () => {
    expect(signatureHeader(ROUTE.signature)).toBe(
      `${encodeURIComponent('モデル😀')}/%C3%A9|a:0-1[0-1]->b:0-3[2-3]`,
    );
    expect(signatureHeader('a%20b c|d')).toBe('a%20b c|d');
  });
});
