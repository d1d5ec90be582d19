import { describe, expect, it } from '@jest/globals';
import { isNodeName, normaliseEndpoint } from '../kernel/index.js';
import {
  entryOfUrl,
  nameOf,
  NodesFileFault,
  parseNodesFile,
  twinFaults,
  type SecretLookup,
  type StaticEntry,
} from './nodes-file.js';

const SECRETS: SecretLookup = {
  variable: (name) => ({ GPU_KEY: 'canary-env', EMPTY: '', BROKEN: 'a\nb' })[name],
  file: (path) => ({ '/run/key': ' canary-file\n' })[path],
};

function parse(text: string): StaticEntry[] {
  return parseNodesFile(text, SECRETS);
}

function one(row: object): StaticEntry {
  const [entry, ...others] = parse(JSON.stringify({ nodes: [row] }));
  if (entry === undefined || others.length > 0) throw new Error('not one entry');
  return entry;
}

function faultsOf(text: string): readonly string[] {
  try {
    return parse(text).map(({ name }) => `no fault: ${name}`);
  } catch (fault) {
    if (fault instanceof NodesFileFault) return fault.faults;
    throw fault;
  }
}

function faultsWith(row: object): readonly string[] {
  return faultsOf(JSON.stringify([{ url: 'http://h:8000', ...row }]));
}

describe('a nodes file', () => {
  it('says of a server all that it may', () => {
    expect(
      one({
        name: 'gpu.1',
        wallet: 'lab',
        url: 'http://10.0.0.7:8000/vllm/v1/',
        models: ['Qwen/Qwen3', { id: 'llama3', upstream_model: 'llama3:8b' }, { id: 'plain' }],
        num_layers: 40,
        throughput_tps: 12.5,
        max_concurrent: 4,
        api_key_env: 'GPU_KEY',
        headers: { 'X-Team': 'lab' },
        first_byte_timeout_seconds: 0.5,
        health_path: '/health?deep=1',
      }),
    ).toEqual({
      source: 'nodes_file',
      name: 'gpu.1',
      wallet: 'lab',
      endpoint: 'http://10.0.0.7:8000/vllm',
      models: [
        { id: 'Qwen/Qwen3', upstreamModel: null },
        { id: 'llama3', upstreamModel: 'llama3:8b' },
        { id: 'plain', upstreamModel: null },
      ],
      numLayers: 40,
      shard: null,
      throughputTps: 12.5,
      maxConcurrent: 4,
      access: { headers: { 'x-team': 'lab', authorization: 'Bearer canary-env' } },
      firstByteTimeoutSeconds: 0.5,
      finishReasons: 'sent',
      healthPath: '/health?deep=1',
    });
  });

  it('need not say more than the url', () => {
    expect(one({ url: 'http://h:8000' })).toEqual({
      ...entryOfUrl('http://h:8000'),
      source: 'nodes_file',
    });
  });

  it('takes null for what is left out', () => {
    const nulls = Object.fromEntries(
      ['name', 'wallet', 'models', 'num_layers', 'shard', 'api_key_env', 'api_key_file', 'headers'].map(
        (field) => [field, null],
      ),
    );
    expect(one({ url: 'http://h:8000', ...nulls })).toEqual(one({ url: 'http://h:8000' }));
  });

  it('may be the list alone, be empty, and start with a byte-order mark', () => {
    expect(parse('[{"url":"http://h"}]')).toHaveLength(1);
    expect(parse('{"nodes":[]}')).toEqual([]);
    expect(parse('\uFEFF[]')).toEqual([]);
  });

  it('takes ["*"] for all models of the server, as leaving them out does', () => {
    expect(one({ url: 'http://h', models: ['*'] }).models).toBeNull();
    expect(one({ url: 'http://h', models: [{ id: '*' }] }).models).toBeNull();
    expect(one({ url: 'http://h' }).models).toBeNull();
  });

  it('gives one model a shard', () => {
    expect(one({ url: 'http://h', models: ['m'], shard: '0-21', num_layers: 40 }).shard).toEqual({
      start: 0,
      end: 21,
    });
    expect(one({ url: 'http://h', models: ['m'], shard: '39-39', num_layers: 40 }).shard).toEqual({
      start: 39,
      end: 39,
    });
  });

  it('takes a key from a file, without the line end, and it wins over a header of that name', () => {
    const headers = { Authorization: 'Basic x' };
    expect(one({ url: 'http://h', api_key_file: '/run/key', headers }).access.headers).toEqual({
      authorization: 'Bearer canary-file',
    });
    expect(one({ url: 'http://h', headers }).access.headers).toEqual({ authorization: 'Basic x' });
  });

  it.each([
    ['not JSON', 'the file: must be JSON'],
    ['', 'the file: must be JSON'],
    ['7', 'the file: must be {"nodes": [ … ]} or a list of nodes'],
    ['null', 'the file: must be {"nodes": [ … ]} or a list of nodes'],
    ['{}', 'the file: must be {"nodes": [ … ]} or a list of nodes'],
    ['{"nodes":{}}', 'the file: must be {"nodes": [ … ]} or a list of nodes'],
  ])('that is %j is refused as a whole', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it.each([
    [{ url: 7 }, 'url: must be an http(s) URL'],
    [{ url: null }, 'url: must be an http(s) URL'],
    [{ url: 'http://u:canary@h' }, 'url: must not contain user:password@'],
    [{ name: '' }, 'name: must be 1 to 128 characters of A-Z a-z 0-9 _ - .'],
    [{ name: 'canary/x' }, 'name: must be 1 to 128 characters of A-Z a-z 0-9 _ - .'],
    [{ wallet: 'canary.x' }, 'wallet: must be 1 to 64 characters of A-Z a-z 0-9 _ -'],
    ...[
      'canary',
      [],
      ['a', 'a'],
      [7],
      [null],
      [{ upstream_model: 'a' }],
      [{ id: 'a', upstream_model: 7 }],
    ].map((models) => [{ models }, 'models: must be ["*"] or a list of ids or {"id", "upstream_model"}']),
    ...[['*', 'a'], ['a', { id: '*' }], [{ id: '*', upstream_model: 'a' }]].map((models) => [
      { models },
      'models: must be ["*"] or a list of ids or {"id", "upstream_model"}',
    ]),
    ...[0, 1.5, '40', -1, true].map((num_layers) => [
      { num_layers },
      'num_layers: must be a whole number of at least 1',
    ]),
    ...['21-0', '0', '0-', '-1', 'a-b', 21, ['0-21'], '0-1-2', ' 0-21'].map((shard) => [
      { shard, models: ['m'] },
      'shard: must be a span of layers such as "0-21"',
    ]),
    [{ shard: '0-40', num_layers: 40, models: ['m'] }, 'shard: must end below num_layers'],
    [{ shard: '0-21', num_layers: 40 }, 'models: must name the one model of the shard'],
    [{ shard: '0-21', models: ['*'] }, 'models: must name the one model of the shard'],
    [{ shard: '0-21', models: ['a', 'b'] }, 'models: must name the one model of the shard'],
    ...[0, -1, '3', true].map((throughput_tps) => [
      { throughput_tps },
      'throughput_tps: must be a number above 0',
    ]),
    ...[0, 1.5, '3'].map((max_concurrent) => [
      { max_concurrent },
      'max_concurrent: must be a whole number of at least 1',
    ]),
    ...[0, '5'].map((first_byte_timeout_seconds) => [
      { first_byte_timeout_seconds },
      'first_byte_timeout_seconds: must be a number above 0',
    ]),
    ...['canary', '', 7, '/a b'].map((health_path) => [
      { health_path },
      'health_path: must be a path that starts with /',
    ]),
    ...['UNSET', 'EMPTY', 'BROKEN', '', 7, {}].map((api_key_env) => [
      { api_key_env },
      'api_key_env: must name a variable that is set to a key',
    ]),
    ...['/canary', '', 7].map((api_key_file) => [
      { api_key_file },
      'api_key_file: must name a readable file with a key',
    ]),
    [
      { api_key_env: 'GPU_KEY', api_key_file: '/run/key' },
      'api_key_file: must not be given beside api_key_env',
    ],
    ...[
      'canary',
      ['a'],
      { a: 7 },
      { 'a b': 'c' },
      { a: 'b\nc' },
      { Host: 'h' },
      { 'content-length': '1' },
    ].map((headers) => [
      { headers },
      'headers: must be an object of header names and values that a node may be sent',
    ]),
    [{ URL: 'canary' }, '"URL": is not a field of a node'],
    [{ __proto__x: 1 }, '"__proto__x": is not a field of a node'],
  ] as [object, string][])(
    'with %j is refused by place and field, and no value is repeated',
    (row, fault) => {
      expect(faultsWith(row)).toEqual([`nodes[0].${fault}`]);
      expect(faultsWith(row).join()).not.toContain('canary');
    },
  );

  it('reads no number that is too large for one', () => {
    expect(faultsOf('[{"url":"http://h","throughput_tps":1e309}]')).toEqual([
      'nodes[0].throughput_tps: must be a number above 0',
    ]);
    expect(faultsOf('[{"url":"http://h","num_layers":1e309}]')).toEqual([
      'nodes[0].num_layers: must be a whole number of at least 1',
    ]);
  });

  it('is not misled by a member __proto__', () => {
    expect(faultsOf('[{"__proto__":{"url":"http://h"}}]')).toEqual([
      'nodes[0]."__proto__": is not a field of a node',
      'nodes[0].url: must be an http(s) URL',
    ]);
  });

  it('tells all faults of all entries at once, and nothing of it is used', () => {
    const rows = [{ url: 'http://a' }, 7, { url: 'x', name: '' }, { url: 'http://b', num_layers: 0 }];
    expect(faultsOf(JSON.stringify(rows))).toEqual([
      'nodes[1]: must be an object',
      'nodes[2].url: must be an absolute URL such as http://10.0.0.7:8000',
      'nodes[2].name: must be 1 to 128 characters of A-Z a-z 0-9 _ - .',
      'nodes[3].num_layers: must be a whole number of at least 1',
    ]);
  });

  it('names no server and no name twice, and tells twins by their places', () => {
    const rows = [
      { url: 'http://canary-a', name: 'canary' },
      7,
      { url: 'http://canary-b', name: 'canary' },
      { url: 'http://canary-a/v1/', name: 'other' },
      { url: 'http://canary-c', name: 'canary', wallet: 'elsewhere' },
    ];
    expect(faultsOf(JSON.stringify(rows))).toEqual([
      'nodes[1]: must be an object',
      'nodes[2].name: must not be that of nodes[0]',
      'nodes[3].url: must not be that of nodes[0]; list all models in one entry',
    ]);
  });

  it('has all its faults in the message', () => {
    expect(new NodesFileFault(['a', 'b']).message).toBe('a\nb');
  });
});

describe('twinFaults', () => {
  it('finds nothing where nothing stands twice', () => {
    const listed = ['http://a', 'http://b'].map((url) => ({ place: url, entry: entryOfUrl(url) }));
    expect(twinFaults(listed)).toEqual([]);
  });
});

describe('nameOf', () => {
  it.each([
    ['http://h:8000', 'h-8000'],
    ['https://h', 'h'],
    ['http://[::1]:9001', '1-9001'],
    ['http://[2606:4700::a]', '2606-4700-a'],
    ['http://10.0.0.7:8000/vllm/a', '10.0.0.7-8000-vllm-a'],
    ['http://h/a%20b', 'h-a-20b'],
    ['http://xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('makes of %s the name %s', (endpoint, name) => {
    expect(nameOf(normaliseEndpoint(endpoint))).toBe(name);
    expect(isNodeName(name)).toBe(true);
  });

  it('is cut to what a name may be', () => {
    expect(isNodeName(nameOf(`http://h/${'x'.repeat(500)}`))).toBe(true);
  });
});
