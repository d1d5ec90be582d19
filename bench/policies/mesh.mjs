const LAYERS = 40;
export const NUM_LAYERS = LAYERS;
/** Seconds per layer and token, steepness under load, slots, and prefill per prompt token as a share of decode. */
const KINDS = {
  gpu: { layerSeconds: [0.0008, 0.0016], slope: [0.2, 0.4], slots: 4, prefillRatio: [0.02, 0.05] },
  big: { layerSeconds: [0.0012, 0.0024], slope: [0.2, 0.4], slots: 4, prefillRatio: [0.02, 0.05] },
  cpu: { layerSeconds: [0.004, 0.007], slope: [0.5, 0.9], slots: 2, prefillRatio: [0.1, 0.25] },
};
const HOP_SECONDS = [0.002, 0.008];

const SHAPES = {
  2: [
    [1, 'big', 0, 39],
    [1, 'cpu', 0, 39],
  ],
  9: [
    [3, 'gpu', 0, 21],
    [3, 'gpu', 20, 39],
    [1, 'big', 0, 39],
    [2, 'cpu', 0, 39],
  ],
  60: [
    [12, 'gpu', 0, 19],
    [6, 'gpu', 0, 9],
    [6, 'gpu', 10, 29],
    [4, 'gpu', 8, 19],
    [12, 'gpu', 20, 39],
    [6, 'gpu', 28, 39],
    [6, 'big', 0, 39],
    [8, 'cpu', 0, 39],
  ],
};
export const MESHES = Object.keys(SHAPES).map(Number);

/** The machines of a mesh as they truly are; `registeredTps` is what they say, wrong by `priorSigma` in the log. */
export function machinesOf(size, priorSigma, dice) {
  const machines = [];
  for (const [count, kind, start, end] of SHAPES[size]) {
    for (let nth = 0; nth < count; nth += 1) machines.push(machine(machines.length, kind, start, end));
  }
  return machines;

  function machine(index, name, start, end) {
    const kind = KINDS[name];
    const layerSeconds = dice.between(...kind.layerSeconds);
    const slope = dice.between(...kind.slope);
    const prefillRatio = dice.between(...kind.prefillRatio);
    const hopSeconds = dice.between(...HOP_SECONDS);
    // How a node cuts its stream is its own affair.
    const tokensPerChunk = dice.between(1, 2);
    const error = Math.exp(priorSigma * dice.normal());
    const registeredTps = error / (layerSeconds * (end - start + 1));
    const traits = { index, kind: name, start, end, layerSeconds, slope, slots: kind.slots, prefillRatio };
    return { ...traits, hopSeconds, tokensPerChunk, registeredTps };
  }
}
