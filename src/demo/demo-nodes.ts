/** One program of the mesh: `label` for people, and the flags of its reference node but for the tracker. */
export interface DemoNode {
  readonly label: string;
  readonly flags: readonly string[];
}

export const BIG_MODEL = 'Qwen3.6-35B-A3B';
export const SMALL_MODEL = 'Qwen3-0.6B';

/**
 * Whole tokens cost about 30 ms over gpu and tail and 90 ms on the cpu alone. What gpu and cpu declare says the
 * opposite, as benchmarks do now and then: the tracker starts on the slow route, and has to find out by measuring.
 */
export const DEMO_NODES: readonly DemoNode[] = [
  {
    label: 'gpu, layers 0-21',
    flags: bigFlags('alice', 'gpu', '0-21', '0.5', [
      '--throughput-tps',
      '40',
      '--prefill-ms-per-token',
      '0.5',
    ]),
  },
  {
    label: 'cpu, layers 0-39',
    flags: bigFlags('bob', 'cpu', '0-39', '2.25', ['--throughput-tps', '45', '--prefill-ms-per-token', '4']),
  },
  {
    label: 'tail, layers 22-39',
    flags: bigFlags('carol', 'tail', '22-39', '1', ['--prefill-ms-per-token', '1']),
  },
  {
    label: 'laptop, all of the small model',
    flags: split(
      `--wallet dave --name laptop --model ${SMALL_MODEL} --num-layers 28 --ms-per-layer 0.7 --slots 4`,
    ),
  },
];

function bigFlags(wallet: string, name: string, shard: string, msPerLayer: string, more: string[]): string[] {
  const identity = `--wallet ${wallet} --name ${name} --model ${BIG_MODEL} --num-layers 40`;
  return [...split(`${identity} --shard ${shard} --ms-per-layer ${msPerLayer} --slots 8`), ...more];
}

function split(line: string): string[] {
  return line.split(' ');
}
