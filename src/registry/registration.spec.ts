import { describe, expect, it } from '@jest/globals';
import { BodyPipe } from '../http/index.js';
import { InvalidRequestError } from '../kernel/index.js';
import type { NodeSpec } from './index.js';
import { Heartbeat, Registration, specOfRegistration } from './index.js';

const GOOD = {
  wallet: 'w',
  name: 'gpu.1',
  endpoint: 'http://h:9001/v1/',
  model: 'Qwen/Qwen3',
  num_layers: 40,
  shard_start: 0,
  shard_end: 21,
  throughput_tps: 12.5,
  queue_depth: 3,
  max_concurrent: 4,
  upstream_model: 'qwen3:latest',
};

const registrations = new BodyPipe(Registration);
const heartbeats = new BodyPipe(Heartbeat);

/** As it comes over the wire, so that 1e309 is Infinity and NaN can't be. */
function register(json: string): NodeSpec {
  return specOfRegistration(registrations.transform(JSON.parse(json)));
}

function registerWith(field: string, json: string): NodeSpec {
  const members = { ...Object.fromEntries(Object.entries(GOOD).map(([k, v]) => [k, JSON.stringify(v)])) };
  members[field] = json;
  const body = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return register(`{${body.join()}}`);
}

function faultOf(act: () => unknown): InvalidRequestError {
  try {
    act();
  } catch (fault) {
    if (fault instanceof InvalidRequestError) return fault;
    throw fault;
  }
  throw new Error('was taken');
}

const NOT_TEXT = ['7', 'true', '{}', '[]', '["a"]'];
const NOT_WHOLE = ['"3"', 'true', '{}', '[3]', '1.5', '1e309', '-1e309', '-1', '1e10'];

describe('a registration', () => {
  it('says everything that it may', () => {
    expect(register(JSON.stringify(GOOD))).toEqual({
      wallet: 'w',
      name: 'gpu.1',
      model: 'Qwen/Qwen3',
      numLayers: 40,
      shard: { start: 0, end: 21 },
      source: 'registered',
      endpoint: 'http://h:9001',
      throughputTps: 12.5,
      queueDepth: 3,
      maxConcurrent: 4,
      upstreamModel: 'qwen3:latest',
      firstByteTimeoutSeconds: null,
      finishReasons: 'sent',
      access: { headers: {} },
    });
  });

  it('need not say more than wallet, endpoint and model', () => {
    expect(register('{"wallet":"w","endpoint":"http://h","model":"m"}')).toMatchObject({
      name: null,
      numLayers: null,
      shard: null,
      throughputTps: null,
      queueDepth: 0,
      maxConcurrent: null,
      upstreamModel: null,
    });
  });

  it('takes null for what is not declared', () => {
    for (const field of ['name', 'num_layers', 'throughput_tps', 'queue_depth', 'max_concurrent']) {
      expect(() => registerWith(field, 'null')).not.toThrow();
    }
    expect(registerWith('queue_depth', 'null').queueDepth).toBe(0);
  });

  it('honours zero where zero is something, instead of taking it for nothing', () => {
    const spec = registerWith('queue_depth', '0');
    expect(spec.queueDepth).toBe(0);
    expect(registerWith('shard_end', '0').shard).toEqual({ start: 0, end: 0 });
  });

  it('takes the edges of every range', () => {
    expect(registerWith('num_layers', '100000').numLayers).toBe(100_000);
    expect(registerWith('shard_end', '99999').shard).toEqual({ start: 0, end: 99_999 });
    expect(registerWith('throughput_tps', '5e-324').throughputTps).toBe(Number.MIN_VALUE);
    expect(registerWith('throughput_tps', '1e9').throughputTps).toBe(1e9);
    expect(registerWith('queue_depth', '1e9').queueDepth).toBe(1e9);
    expect(registerWith('max_concurrent', '1').maxConcurrent).toBe(1);
  });

  it.each([
    ...['wallet', 'endpoint', 'model'].flatMap((field) => [...NOT_TEXT, 'null'].map((json) => [field, json])),
    ...['name', 'upstream_model'].flatMap((field) => NOT_TEXT.map((json) => [field, json])),
    ...['num_layers', 'shard_start', 'shard_end', 'queue_depth', 'max_concurrent'].flatMap((field) =>
      NOT_WHOLE.map((json) => [field, json]),
    ),
    ...['"3"', 'true', '{}', '[3]', '1e309', '-1', '0', '1e10'].map((json) => ['throughput_tps', json]),
    ['wallet', '""'],
    ['wallet', '"a.b"'],
    ['wallet', '"a:b"'],
    ['wallet', `"${'x'.repeat(65)}"`],
    ['name', '""'],
    ['name', '"a/b"'],
    ['name', `"${'x'.repeat(129)}"`],
    ['model', '""'],
    ['model', '"a\\u0000b"'],
    ['model', '"\\ud83d"'],
    ['model', `"${'😀'.repeat(257)}"`],
    ['upstream_model', '""'],
    ['upstream_model', '"a\\nb"'],
    ['endpoint', '""'],
    ['endpoint', '"h:9001"'],
    ['endpoint', '"ftp://h"'],
    ['endpoint', '"http://u:p@h"'],
    ['endpoint', '"http://h?x"'],
    ['endpoint', '"http://0.0.0.0"'],
    ['num_layers', '0'],
    ['num_layers', '100001'],
    ['max_concurrent', '0'],
    ['shard_start', '22'],
    ['shard_start', 'null'],
    ['shard_end', 'null'],
    ['shard_end', '100000'],
  ] as [string, string][])('with %s %s is refused by that field', (field, json) => {
    const fault = faultOf(() => registerWith(field, json));
    expect(fault.param).toBe(field);
    expect(fault.message).toContain(field);
  });

  it.each(['wallet', 'endpoint', 'model'])('without %s is refused by that field', (field) => {
    const rest = Object.entries(GOOD).filter(([name]) => name !== field);
    expect(faultOf(() => register(JSON.stringify(Object.fromEntries(rest)))).param).toBe(field);
  });

  it('names all wrong types at once', () => {
    const { message } = faultOf(() => register('{"wallet":7,"endpoint":"http://h","model":"m","name":7}'));
    expect(message).toContain('wallet must be');
    expect(message).toContain('name must be');
  });

  it('repeats no endpoint that it refuses, since that may hold a password', () => {
    expect(faultOf(() => registerWith('endpoint', '"http://u:canary@h"')).message).not.toContain('canary');
  });

  it('is not misled by a member __proto__', () => {
    expect(
      faultOf(() => register('{"__proto__":{"wallet":"w","endpoint":"http://h","model":"m"}}')).param,
    ).toBe('wallet');
    const spec = register('{"wallet":"w","endpoint":"http://h","model":"m","__proto__":{"queue_depth":9}}');
    expect(spec.queueDepth).toBe(0);
  });
});

describe('a heartbeat', () => {
  it('may say nothing, or null', () => {
    expect(heartbeats.transform({})).toEqual(new Heartbeat());
    expect(() =>
      heartbeats.transform({ queue_depth: null, throughput_tps: null, status: null }),
    ).not.toThrow();
  });

  it('keeps what it says', () => {
    const said = { queue_depth: 0, throughput_tps: 3.5, status: 'draining' };
    expect(heartbeats.transform(said)).toEqual(Object.assign(new Heartbeat(), said));
  });

  it.each([
    ...NOT_WHOLE.map((json) => ['queue_depth', json]),
    ...['"3"', '0', '-1', '1e309', '[1]'].map((json) => ['throughput_tps', json]),
    ...['"Ready"', '"gone"', '""', '1', 'true', '{}', '["ready"]'].map((json) => ['status', json]),
  ] as [string, string][])('with %s %s is refused by that field', (field, json) => {
    const fault = faultOf(() => heartbeats.transform(JSON.parse(`{"${field}":${json}}`)));
    expect(fault.param).toBe(field);
    expect(fault.message).toContain(field);
  });
});
