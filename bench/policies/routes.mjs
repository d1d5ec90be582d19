import { enumerateDiverse } from '../../dist/candidate-enumeration/diverse.js';
import { enumerateGreedy } from '../../dist/candidate-enumeration/greedy.js';
import { viewOf } from '../../dist/topology/model-view.js';
import { NUM_LAYERS } from './mesh.mjs';

const MODEL = 'simulated';
/** The tracker's defaults. */
const MOST = { diverse: 12, greedy: 8 };
const ENUMERATIONS = { diverse: (view) => enumerateDiverse(view, MOST.diverse), greedy: enumerateGreedy };

/** Candidate routes by the tracker's own enumeration, worked out once for each set of nodes that are up. */
export function routesOver(machines, enumeration) {
  const nodes = machines.map(nodeOf);
  const indexOf = new Map(nodes.map((node, index) => [node, index]));
  const known = new Map();
  return (up) => {
    const key = up.map(Number).join('');
    if (!known.has(key)) known.set(key, enumerate(nodes.filter((node, at) => up[at])));
    return known.get(key);
  };

  function enumerate(present) {
    const routes = ENUMERATIONS[enumeration](viewOf(MODEL, 1, NUM_LAYERS, present));
    return routes.slice(0, MOST[enumeration]).map(({ signature, hops }) => ({
      key: signature,
      hops: hops.map(({ node, startLayer, endLayer }) => ({
        machine: indexOf.get(node),
        layers: endLayer - startLayer + 1,
      })),
    }));
  }
}

function nodeOf({ index, kind, start, end, registeredTps }) {
  const nodeId = `${kind}-${index}:${start}-${end}`;
  return { nodeId, key: nodeId, shard: { start, end }, throughputTps: registeredTps };
}
