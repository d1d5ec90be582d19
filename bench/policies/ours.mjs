import 'reflect-metadata';
import { NodeSpeeds, speedConstants } from '../../dist/node-speeds/index.js';
import { POLICIES } from '../../dist/routing/policies.js';
import { RoutingSettings, SpeedSettings } from '../../dist/settings/index.js';
import { Experiments, greatest } from './experiments.mjs';

const MODEL = 'simulated';

/**
 * `least-expected-delay` by the tracker's own code, told what a tracker is told.
 *
 * @param admissionSecondsPerToken requests wait when the best route is expected to take longer; null: they never do
 */
export function leastExpectedDelay({ dice, constants = {}, settings = {}, admissionSecondsPerToken = null }) {
  const speeds = new NodeSpeeds({ ...speedConstants(new SpeedSettings()), ...constants });
  const policy = POLICIES['least-expected-delay'];
  const routing = { ...new RoutingSettings(), ...settings };
  const inFlight = new Map();
  const watched = new Map();
  const chosenAs = new Map();
  const experiments = new Experiments();
  const chunksOf = (call) =>
    call.firstTokenAt === null
      ? 0
      : (call.request.outputTokens - Math.max(0, call.left)) / call.nodes[0].machine.tokensPerChunk;
  const hopsOf = (route, { machines }) =>
    (route.speedHops ??= route.hops.map(({ machine, layers }) => ({
      nodeKey: String(machine),
      registeredTps: machines[machine].registeredTps,
      assumedTps: 10,
      layers,
      shardLayers: machines[machine].end - machines[machine].start + 1,
    })));
  const count = ({ key }, by) => inFlight.set(key, (inFlight.get(key) ?? 0) + by);
  const expectationOf = (route, ask, mesh, now) => {
    const { seconds, harmSeconds, optimisticSeconds, isIdle } = speeds.expect(
      MODEL,
      hopsOf(route, mesh.world),
      ask,
      now,
    );
    const isScoutable = isIdle && ask.promptTokens <= speeds.usual(MODEL, now).promptTokens;
    return {
      seconds,
      harmSeconds,
      optimisticSeconds: isScoutable ? optimisticSeconds : null,
      inFlight: inFlight.get(route.key) ?? 0,
    };
  };
  return {
    speeds,
    experiments,
    pick(request, routes, mesh, now) {
      const ask = { promptTokens: request.promptGuess, mostOutputTokens: null };
      const candidates = routes.map((route) => ({
        signature: route.key,
        hopCount: route.hops.length,
        expected: expectationOf(route, ask, mesh, now),
      }));
      if (admissionSecondsPerToken !== null) {
        const best = Math.min(...candidates.map(({ expected }) => expected.seconds));
        if (best / speeds.workOf(MODEL, ask, now).outputTokens > admissionSecondsPerToken) return null;
      }
      const { index, mode } = policy.choose(candidates, routing, dice.next);
      chosenAs.set(request.id, mode);
      if (mode !== 'exploit') {
        const believed = routes[greatest(policy.shares(candidates, routing))];
        experiments.add(mode, request, routes[index], believed, mesh);
      }
      return index;
    },
    started(call, mesh, now) {
      call.mode = chosenAs.get(call.request.id);
      chosenAs.delete(call.request.id);
      count(call.route, 1);
      const { promptGuess: promptTokens, isStream } = call.request;
      watched.set(
        call,
        speeds.begin(
          MODEL,
          hopsOf(call.route, mesh.world),
          { promptTokens, isStream, mostOutputTokens: null },
          now,
        ),
      );
    },
    firstToken: (call, mesh, now) => watched.get(call).firstToken(now),
    ticked: (call, mesh, now) => watched.get(call).look(chunksOf(call), now),
    finished(call, mesh, now) {
      const { promptTokens, outputTokens } = call.request;
      watched.get(call).finished({ promptTokens, outputTokens }, chunksOf(call), now);
      watched.delete(call);
      count(call.route, -1);
    },
    failed(call) {
      watched.get(call).ended();
      watched.delete(call);
      count(call.route, -1);
    },
  };
}
