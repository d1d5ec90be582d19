/** Meshes of any size, the same in each run: registrations of nodes that serve 100 layers of one model. */
import { seededRng } from '../../dist/kernel/index.js';
import { specOfRegistration } from '../../dist/registry/index.js';

export const MODEL = 'bench/mesh';
export const NUM_LAYERS = 100;
const TENTH = NUM_LAYERS / 10;

/** Shapes of a mesh: which layers its node number `at` holds. */
export const SHAPES = {
  /** One node in ten is a head, the others start anywhere; each holds 10 to 40 layers. */
  mixed: (at, rng) => {
    // The first ten cover the model by themselves.
    if (at < 10) return [at * TENTH, TENTH];
    const start = at % 10 === 0 ? 0 : Math.floor(rng() * NUM_LAYERS);
    return [start, TENTH + Math.floor(rng() * 30)];
  },
  /** The most work there is: half of the nodes are heads, and each route has a hop a layer. */
  thin: (at) => [at % 2 === 0 ? 0 : 1 + (((at - 1) / 2) % (NUM_LAYERS - 1)), 1],
};

/** Bodies of `POST /v1/nodes`. */
export function registrations(count, shape = SHAPES.mixed) {
  const rng = seededRng(1);
  return Array.from({ length: count }, (_, at) => registration(at, shape(at, rng), rng));
}

export function specs(count, shape) {
  return registrations(count, shape).map(specOfRegistration);
}

function registration(at, [start, length], rng) {
  return {
    wallet: `owner-${at}`,
    name: 'gpu.1',
    endpoint: `http://10.${at >> 16}.${(at >> 8) & 255}.${at & 255}:8000`,
    model: MODEL,
    num_layers: NUM_LAYERS,
    shard_start: start,
    shard_end: Math.min(NUM_LAYERS, start + length) - 1,
    throughput_tps: Math.round(10 + rng() * 90),
  };
}
