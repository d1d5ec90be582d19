import { describe, expect, it } from '@jest/globals';
import { NODE_USAGE, readNodeFlags } from './node-flags.js';
import { declaredTps } from './node-options.js';

const read = (line: string) => readNodeFlags(line.split(' '));

describe('the flags of the reference node', () => {
  it('say all that a node is', () => {
    const flags = read(
      '--tracker http://h:8080/v1/ --wallet w --name gpu-1 --model Qwen/Qwen3:8b --num-layers 40 --shard 0-21 ' +
        '--ms-per-layer .25 --prefill-ms-per-token 1e-3 --slots=4 --load-seconds 2.5 --port 0 --host ::1 ' +
        '--endpoint http://[::1]:9/gpu --throughput-tps 90.5 --max-concurrent 2',
    );
    expect(flags).toEqual({
      kind: 'options',
      options: {
        tracker: 'http://h:8080',
        wallet: 'w',
        name: 'gpu-1',
        model: 'Qwen/Qwen3:8b',
        numLayers: 40,
        shard: { start: 0, end: 21 },
        msPerLayer: 0.25,
        prefillMsPerToken: 0.001,
        slots: 4,
        loadSeconds: 2.5,
        port: 0,
        host: '::1',
        endpoint: 'http://[::1]:9/gpu',
        throughputTps: 90.5,
        maxConcurrent: 2,
      },
    });
  });

  it('need no more than a model', () => {
    expect(read('--model m')).toMatchObject({ kind: 'options', options: { model: 'm' } });
  });

  it('need no wallet where there is a key', () => {
    expect(read('--model m --tracker http://h --key f --tracker-name lab')).toMatchObject({
      kind: 'options',
      options: { keyFile: 'f', trackerName: 'lab', wallet: undefined },
    });
  });

  it.each([
    ['', ['is not a flag', '--model is needed']],
    ['--model m --tracker http://h', ['--wallet is needed with --tracker']],
    ['--model m --tracker http://h --wallet w --key f', ['--wallet must not be given with --key']],
    ['--model m --key f --tracker-name :', ['--tracker-name']],
    ['--model m --shard 0-3', ['--num-layers is needed with --shard']],
    ['--model m --num-layers 4 --shard 0-4', ['--shard must end below --num-layers 4']],
    ['--model m --num-layers 4 --shard 3-2', ['--shard must be A-B']],
    ['--model m --num-layers 0', ['--num-layers must be a whole number from 1 to 10000']],
    ['--model m --ms-per-layer -1', ['--ms-per-layer must be a number from 0']],
    ['--model m --ms-per-layer NaN', ['--ms-per-layer']],
    ['--model m --ms-per-layer 1e309', ['--ms-per-layer']],
    ['--model m --throughput-tps 0', ['--throughput-tps must be a number above 0']],
    ['--model m --slots 1.5 --port 65536', ['--port must be a whole number from 0 to 65535', '--slots']],
    ['--model m --wallet a.b --name :', ['--wallet', '--name']],
    ['--model m --endpoint http://u:p@h --tracker ftp://h --wallet w', ['--tracker', '--endpoint']],
    ['--model --wallet w', ['--model needs a value', 'w is not a flag', '--model is needed']],
    ['--model m --sharp --toString -s --help=no', ['--sharp', '--toString', '-s', '--help takes no value']],
  ])('are refused, all at once: %s', (line, faults) => {
    const flags = read(line);
    expect(flags).toEqual({ kind: 'faults', faults: faults.map((fault) => expect.stringContaining(fault)) });
  });

  it('tell of themselves', () => {
    expect(read('--model --help')).toMatchObject({ kind: 'faults' });
    expect(read('--sharp --help')).toEqual({ kind: 'help' });
    expect(NODE_USAGE).toContain('--prefill-ms-per-token');
  });
});

describe('the declared speed', () => {
  it('is what the layers cost, unless it is told', () => {
    expect(declaredTps({ model: 'm', numLayers: 40, shard: { start: 0, end: 19 }, msPerLayer: 0.5 })).toBe(
      100,
    );
    expect(declaredTps({ model: 'm', numLayers: 40, msPerLayer: 0.5 })).toBe(50);
    expect(declaredTps({ model: 'm', throughputTps: 7, msPerLayer: 0.5 })).toBe(7);
    expect(declaredTps({ model: 'm' })).toBeNull();
  });
});
