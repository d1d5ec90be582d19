import { seededRng, type Rng } from '../../src/kernel/index.js';
import type { LoggedCall } from '../../src/replay/logged-call.js';
import { POLICIES, type CandidateState } from '../../src/routing/index.js';
import { recordSample, statusOf, massAt, type Arm } from '../../src/routing-stats/index.js';
import { RoutingSettings } from '../../src/settings/index.js';
import { MODEL } from './builders.js';

/** Settings of routing; without more the defaults. */
export function routingOf(stated: Partial<RoutingSettings> = {}): RoutingSettings {
  return Object.assign(new RoutingSettings(), stated);
}

export interface LoggedMeshOptions {
  /** True mean tokens/s by route. */
  readonly routes: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly seed: number;
  readonly inForce?: RoutingSettings;
  /** Standard deviation of the logarithm of a call's speed. */
  readonly noise?: number;
  /** Seconds between calls, on average. */
  readonly gapSeconds?: number;
  /** What one other call on the route costs, as a share of the time. */
  readonly crowding?: number;
}

/** A mesh that never changes: what it logs, and what each route is truly worth. */
export interface LoggedMesh {
  readonly calls: LoggedCall[];
  /** What a setting earns on these calls as their candidates stood, on average. */
  truth(settings: RoutingSettings): { tps: number; seconds: number };
}

const HALF_LIFE_MS = 600_000;

/** The tracker's own arms and policy over routes of fixed speed, on a clock that only this function moves. */
export function loggedMesh({
  routes,
  calls: count,
  seed,
  inForce = routingOf(),
  noise = 0.4,
  gapSeconds = 5,
  crowding = 0,
}: LoggedMeshOptions): LoggedMesh {
  const rng = seededRng(seed);
  const speeds = new Map(Object.entries(routes).map(([name, tps]) => [signatureOf(name), tps]));
  const signatures = [...speeds.keys()];
  const arms = new Map<string, Arm>();
  const learned: { at: number; signature: string; tps: number }[] = [];
  const calls: LoggedCall[] = [];
  for (let now = 0; calls.length < count; now += exponential(rng) * gapSeconds * 1000) {
    for (const due of learned.filter(({ at }) => at <= now)) {
      const arm = arms.get(due.signature) ?? null;
      arms.set(due.signature, recordSample(arm, { ...due, weight: 1, epoch: 1 }, HALF_LIFE_MS));
      learned.splice(learned.indexOf(due), 1);
    }
    const candidates = signatures.map((signature) => stateOf(signature, arms, now));
    const { index, probability } = POLICIES[inForce.policy].choose(candidates, inForce, rng);
    const { signature } = candidates[index]!;
    const others = learned.filter((other) => other.signature === signature).length;
    // Lengths of answers have a long tail, and are not the route's doing.
    const tokens = Math.ceil(20 + 200 * exponential(rng));
    const tps =
      ((speeds.get(signature) ?? 0) * Math.exp(noise * normal(rng) - noise ** 2 / 2)) /
      (1 + crowding * others);
    const seconds = tokens / tps;
    const endedAt = now + seconds * 1000;
    learned.push({ at: endedAt, signature, tps });
    calls.push({
      ...{ model: MODEL, endedAt, standing: 'counted', seconds, tokens, signature, probability, candidates },
      ...{ lastSignature: signature, lastMs: seconds * 1000 },
    });
  }
  const truth = (settings: RoutingSettings): { tps: number; seconds: number } => {
    let [tps, seconds] = [0, 0];
    for (const { candidates, tokens } of calls) {
      const shares = POLICIES[settings.policy].shares(candidates, settings);
      candidates.forEach(({ signature }, at) => {
        const speed = speeds.get(signature) ?? 0;
        tps += (shares[at] ?? 0) * speed;
        seconds += ((shares[at] ?? 0) * tokens * Math.exp(noise ** 2)) / speed;
      });
    }
    return { tps: tps / count, seconds: seconds / count };
  };
  return { calls, truth };
}

export function signatureOf(name: string): string {
  return `${MODEL}|${name}:all[0-0]`;
}

function stateOf(signature: string, arms: ReadonlyMap<string, Arm>, now: number): CandidateState {
  const arm = arms.get(signature) ?? null;
  return {
    ...{ signature, hopCount: 1, priorTps: 10, scoutsInFlight: 0, barred: false, nothings: 0, steadiness: 1 },
    status: statusOf(arm, 1, now, HALF_LIFE_MS),
    tps: arm?.value ?? null,
    mass: arm === null ? 0 : massAt(arm, now, HALF_LIFE_MS),
  };
}

function exponential(rng: Rng): number {
  return -Math.log(1 - rng());
}

function normal(rng: Rng): number {
  return Math.sqrt(2 * exponential(rng)) * Math.cos(2 * Math.PI * rng());
}
