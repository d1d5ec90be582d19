import { POLICIES } from './cell.mjs';
import { MESHES } from './mesh.mjs';
import { SCENARIOS } from './scenarios.mjs';

export const NODE_MODELS = ['linear', 'slots'];
export const LOADS = [0.1, 0.4, 0.7, 0.9];
const OVERLOAD = 1.3;
/** The load at which scenarios other than `steady` are run, unless all loads are asked for. */
const SCENARIO_LOAD = 0.7;
/** From here on admission makes a difference. */
const ADMISSION_FROM = 0.9;

/** Every run: each scenario, node model, mesh, load, policy and seed. The longest come first, so that no core idles at the end. */
export function plan({ quick, allLoads = false, requests, seeds }) {
  const scenarios = quick ? ['steady', 'rough', 'half-json'] : Object.keys(SCENARIOS);
  const meshes = quick ? [9] : MESHES;
  return scenarios
    .flatMap((scenario) => loadsOf(scenario, quick, allLoads).map((load) => ({ scenario, load })))
    .flatMap((part) => meshes.map((mesh) => ({ ...part, mesh })))
    .flatMap((part) => NODE_MODELS.map((nodeModel) => ({ ...part, nodeModel })))
    .flatMap((part) => policiesAt(part.load).map((policy) => ({ ...part, policy })))
    .flatMap((part) => seeds.map((seed) => ({ ...part, seed, requests })))
    .sort((a, b) => b.load - a.load);
}

function loadsOf(scenario, quick, allLoads) {
  if (scenario === 'steady') return quick ? [0.1, SCENARIO_LOAD] : [...LOADS, OVERLOAD];
  return allLoads ? LOADS : [SCENARIO_LOAD];
}

function policiesAt(load) {
  return Object.keys(POLICIES).filter((policy) => policy !== 'with admission' || load >= ADMISSION_FROM);
}

/** How soon shares follow a node that slows down and recovers. */
export function followJobs({ quick, requests, seeds }) {
  const meshes = quick ? [9] : MESHES;
  const policies = ['least-expected-delay', 'least in-flight', 'oracle'];
  return (quick ? [0.7] : [0.1, 0.4, 0.7])
    .flatMap((load) => meshes.map((mesh) => ({ load, mesh })))
    .flatMap((part) => NODE_MODELS.map((nodeModel) => ({ ...part, nodeModel })))
    .flatMap((part) =>
      policies.map((policy) => ({ kind: 'follow', job: { ...part, policy, seeds, requests } })),
    );
}
