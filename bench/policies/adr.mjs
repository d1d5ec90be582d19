import { recordSample, statusOf, massAt } from '../../dist/routing-stats/arm.js';
import { POLICIES } from '../../dist/routing/policies.js';
import { Experiments, greatest } from './experiments.mjs';

const HALF_LIFE_MS = 600_000;

/** The ADR's policy by the tracker's own code: arms of tokens/s per route, an epoch a join or leave. */
export function proportional({ dice, settings = { exploreShare: 0.3, weightAlpha: 1 } }) {
  const arms = new Map();
  const scouts = new Map();
  let epoch = 0;
  const isScout = new WeakSet();
  let lastMode = null;
  const experiments = new Experiments();
  const over = (call) => {
    if (isScout.has(call)) scouts.set(call.route.key, scouts.get(call.route.key) - 1);
  };
  return {
    experiments,
    routesChanged() {
      epoch += 1;
    },
    pick(request, routes, mesh, now) {
      const ms = now * 1000;
      const candidates = routes.map((route) => {
        const arm = arms.get(route.key) ?? null;
        return {
          signature: route.key,
          hopCount: route.hops.length,
          priorTps: Math.min(
            ...route.hops.map(
              ({ machine }) => mesh.world.machines[machine].registeredTps / (1 + mesh.nodes[machine].held),
            ),
          ),
          status: statusOf(arm, epoch, ms, HALF_LIFE_MS),
          tps: arm?.value ?? null,
          mass: arm === null ? 0 : massAt(arm, ms, HALF_LIFE_MS),
          scoutsInFlight: scouts.get(route.key) ?? 0,
          barred: false,
        };
      });
      const choice = POLICIES.proportional.choose(candidates, settings, dice.next);
      lastMode = choice.mode;
      const learned = candidates.map(({ status, tps }) => (status === 'proven' ? (tps ?? 0) : 0));
      experiments.add(choice.mode, request, routes[choice.index], routes[greatest(learned)], mesh);
      return choice.index;
    },
    started(call) {
      call.epoch = epoch;
      if (lastMode !== 'scout') return;
      isScout.add(call);
      call.isScout = true;
      scouts.set(call.route.key, (scouts.get(call.route.key) ?? 0) + 1);
    },
    finished(call, mesh, now) {
      over(call);
      if (call.request.outputTokens < 8) return;
      const tps = call.request.outputTokens / Math.max(0.001, now - call.pickedAt);
      const sample = { tps, weight: 1, at: now * 1000, epoch: call.epoch };
      arms.set(call.route.key, recordSample(arms.get(call.route.key) ?? null, sample, HALF_LIFE_MS));
    },
    failed: over,
  };
}
