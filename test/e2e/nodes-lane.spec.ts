import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jsonOf, send, type Reply } from '../support/http-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

/** The same to every reader of headers, but too odd for the lane: it goes through Nest and Express. */
const ORDINARY = { 'content-type': 'application/json; charset="utf-8"' };
const LANE = { 'content-type': 'application/json' };
const GPU = { wallet: 'lab', name: 'gpu', endpoint: 'http://h:9001/v1', model: 'm', num_layers: 40 };
const SHARD = { shard_start: 0, shard_end: 21 };
const UNKNOWN = '/v1/leases/5f0c2a4e-7a33-4a53-b7f2-1f7b39f0a0e1';

const stage = new Stage();
let inLane: StagedTracker;
let pastLane: StagedTracker;
beforeAll(async () => {
  inLane = await stage.tracker();
  pastLane = await stage.tracker();
});
afterAll(() => stage.end());

/** Sends the same to two trackers of the same past, to one of them in the lane. */
async function both(
  method: string,
  path: (lease: string) => string,
  body: object | string,
): Promise<Reply[]> {
  const ask = async (tracker: StagedTracker, headers: typeof LANE): Promise<Reply> => {
    const joined = await send(`${tracker.url}/v1/nodes`, {
      method: 'POST',
      headers,
      body: { ...GPU, ...SHARD },
    });
    const { lease_id: lease } = jsonOf(joined) as { lease_id: string };
    return send(tracker.url + path(lease), { method, headers, body });
  };
  return [await ask(inLane, LANE), await ask(pastLane, ORDINARY)];
}

/** All that differs from tracker to tracker is the lease. */
function told({ status, headers, text }: Reply): unknown {
  const { 'content-type': type, 'x-content-type-options': sniffing } = headers;
  const length = headers['content-length'] === String(Buffer.byteLength(text));
  return { status, type, sniffing, length, text: text.replace(/"lease_id":"[\w-]+"/, '"lease_id":"…"') };
}

describe('what nodes say past Nest and Express is answered as if it had gone through them', () => {
  it.each<[string, object | string]>([
    ['again', { ...GPU, ...SHARD }],
    ['another node', { ...GPU, ...SHARD, name: 'other', endpoint: 'http://h:9002' }],
    ['more than is known of nodes', { ...GPU, ...SHARD, region: 'eu', nested: { a: [1] } }],
    ['no wallet', { ...GPU, ...SHARD, wallet: undefined }],
    ['several faults', { ...GPU, wallet: 7, shard_start: -1, throughput_tps: 'fast' }],
    ['another number of layers', { ...GPU, ...SHARD, num_layers: 41 }],
    ['a shard beyond them', { ...GPU, shard_start: 0, shard_end: 40 }],
    ['an endpoint with a password', { ...GPU, ...SHARD, endpoint: 'http://a:b@h' }],
    ['a list', []],
    ['cut JSON', '{"wallet":'],
    ['a byte order mark', `\ufeff${JSON.stringify({ ...GPU, ...SHARD })}`],
    ['not ASCII', { ...GPU, ...SHARD, name: 'Größe' }],
  ])('a registration: %s', async (_what, body) => {
    const [lane, ordinary] = (await both('POST', () => '/v1/nodes', body)).map(told);
    expect(lane).toEqual(ordinary);
  });

  it.each<[string, object | string]>([
    ['nothing new', {}],
    ['a queue', { queue_depth: 3, throughput_tps: 30, status: 'ready' }],
    ['nulls', { queue_depth: null, throughput_tps: null, status: null }],
    ['half a request', { queue_depth: 1.5 }],
    ['no speed', { throughput_tps: 0 }],
    ['another status', { status: 'resting', queue_depth: 'many' }],
    ['a list', []],
    ['cut JSON', '{"queue'],
    ['a byte order mark', '\ufeff{}'],
    ['what every object has', '{"__proto__":{"queue_depth":-1},"constructor":1}'],
  ])('a heartbeat: %s', async (_what, body) => {
    const [lane, ordinary] = (await both('PUT', (lease) => `/v1/leases/${lease}?a=b`, body)).map(told);
    expect(lane).toEqual(ordinary);
  });

  it('a heartbeat on a lease that is not known', async () => {
    const [lane, ordinary] = (await both('PUT', () => UNKNOWN, {})).map(told);
    expect(lane).toEqual(ordinary);
    expect(lane).toMatchObject({ status: 404 });
  });

  it('a goodbye, on a lease that is known and on one that is not', async () => {
    for (const path of [(lease: string) => `/v1/leases/${lease}`, () => UNKNOWN]) {
      const [withBody, ordinary] = await both('DELETE', path, {});
      expect(withBody?.status).toBe(204);
      expect(ordinary?.status).toBe(204);
    }
    const { lease_id: lease } = await inLane.api.register({ ...GPU, ...SHARD });
    const gone = await send(`${inLane.url}/v1/leases/${lease}?a=b`, { method: 'DELETE' });
    expect([gone.status, gone.text, gone.headers['x-content-type-options']]).toEqual([204, '', 'nosniff']);
    expect(jsonOf(await send(`${inLane.url}/v1/nodes`))).toMatchObject({ data: [{ name: 'other' }] });
  });
});
