import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

interface SimMachine {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly layerSeconds: number;
  readonly slope: number;
  readonly slots: number;
  readonly prefillRatio: number;
  readonly hopSeconds: number;
}

interface SimRoute {
  readonly key: string;
  readonly hops: readonly { machine: number; layers: number }[];
}

interface SimWorld {
  readonly machines: readonly SimMachine[];
  readonly nodeModel: 'linear' | 'slots';
  readonly arrivals: readonly object[];
  readonly changes: readonly object[];
  readonly routesAt: (up: readonly boolean[]) => readonly SimRoute[];
}

interface SimRun {
  readonly results: readonly { outcome: string; seconds: number }[];
  readonly events: number;
}

/** The benches are plain JavaScript. A name that is not written out keeps the compiler from looking for their types. */
const folder = '../../bench/policies';
const { simulate } = (await import(`${folder}/simulation.mjs`)) as {
  simulate: (world: SimWorld, policy: object, limits?: object) => SimRun;
};
const { capacityOf } = (await import(`${folder}/capacity.mjs`)) as {
  capacityOf: (
    routes: readonly SimRoute[],
    machines: readonly SimMachine[],
    model: string,
    size: object,
  ) => number;
};
const { dice } = (await import(`${folder}/dice.mjs`)) as {
  dice: (seed: number) => { next: () => number; exponential: (mean: number) => number };
};
const { arrivalsFrom } = (await import(`${folder}/arrivals.mjs`)) as {
  arrivalsFrom: (trace: string, asked: object, rolled: object) => { at: number; isStream: boolean }[];
};
interface Experiments {
  readonly seconds: { readonly scout: number; readonly control: number };
  add(mode: string, request: object, route: SimRoute, asIfBest: SimRoute | undefined, mesh: object): void;
}
const { Experiments, greatest } = (await import(`${folder}/experiments.mjs`)) as {
  Experiments: new () => Experiments;
  greatest: (values: readonly number[]) => number;
};

const LAYERS = 10;

function machine(index: number, stated: Partial<SimMachine> = {}): SimMachine {
  const traits = { layerSeconds: 0.01, slope: 1, slots: 1, prefillRatio: 0.1, hopSeconds: 0 };
  return { index, start: 0, end: LAYERS - 1, ...traits, ...stated };
}

function request(id: number, at: number, outputTokens = 100): object {
  return { id, at, promptTokens: 100, outputTokens, promptGuess: 100, isStream: true };
}

function alone(index: number): SimRoute {
  return { key: `r${index}`, hops: [{ machine: index, layers: LAYERS }] };
}

function world(stated: Partial<SimWorld> & Pick<SimWorld, 'machines'>): SimWorld {
  const routesAt = (up: readonly boolean[]): SimRoute[] =>
    stated.machines.filter(({ index }) => up[index]).map(({ index }) => alone(index));
  return { nodeModel: 'linear', arrivals: [], changes: [], routesAt, ...stated };
}

const first = { pick: () => 0 };

describe('a call in the simulator', () => {
  it('takes its prompt and its answer, hop by hop', () => {
    const run = simulate(world({ machines: [machine(0)], arrivals: [request(0, 3)] }), first);
    expect(run.results).toEqual([{ outcome: 'finished', seconds: expect.closeTo(11, 6) }]);
  });

  it('is slowed by another while that is there: linear', () => {
    const arrivals = [request(0, 0), request(1, 0)];
    const { results } = simulate(world({ machines: [machine(0)], arrivals }), first);
    expect(results.map(({ seconds }) => seconds)).toEqual([expect.closeTo(22, 6), expect.closeTo(22, 6)]);
  });

  it('waits its turn where no slot is free, and then runs at full speed: slots', () => {
    const arrivals = [request(0, 0), request(1, 1)];
    const { results } = simulate(world({ machines: [machine(0)], nodeModel: 'slots', arrivals }), first);
    expect(results.map(({ seconds }) => seconds)).toEqual([expect.closeTo(11, 6), expect.closeTo(21, 6)]);
  });

  it('goes slower from the moment at which its node does', () => {
    const changes = [{ at: 6, machine: 0, factor: 2 }];
    const { results } = simulate(
      world({ machines: [machine(0)], arrivals: [request(0, 0)], changes }),
      first,
    );
    expect(results[0]?.seconds).toBeCloseTo(16, 6);
  });

  it('is tried again elsewhere when its node dies', () => {
    const changes = [{ at: 5, machine: 0, up: false }];
    const two = world({ machines: [machine(0), machine(1)], arrivals: [request(0, 0)], changes });
    expect(simulate(two, first).results).toEqual([{ outcome: 'finished', seconds: expect.closeTo(16, 6) }]);
  });

  it('is refused where there is no route, and unfinished where it takes too long', () => {
    const changes = [{ at: 5, machine: 0, up: false }];
    const lone = world({ machines: [machine(0)], arrivals: [request(0, 0)], changes });
    expect(simulate(lone, first).results[0]?.outcome).toBe('refused');
    const long = world({ machines: [machine(0)], arrivals: [request(0, 0, 1e6)] });
    expect(simulate(long, first).results[0]).toEqual({ outcome: 'unfinished', seconds: 300 });
  });

  it('waits in the tracker while the policy says so, and is refused after that', () => {
    const arrivals = [request(0, 0), request(1, 1), request(2, 2)];
    const closed = {
      pick: (_: object, __: object, mesh: { active: object[] }) => (mesh.active.length > 0 ? null : 0),
    };
    const { results } = simulate(world({ machines: [machine(0)], arrivals }), closed, { queueSeconds: 15 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['finished', 'finished', 'refused']);
    expect(results[1]?.seconds).toBeCloseTo(21, 6);
  });
});

const anyWorld = fc.record({
  seed: fc.nat(1e6),
  nodeModel: fc.constantFrom<'linear' | 'slots'>('linear', 'slots'),
  count: fc.integer({ min: 1, max: 60 }),
  gap: fc.constantFrom(0, 0.5, 5),
});

function drawn({
  seed,
  nodeModel,
  count,
  gap,
}: {
  seed: number;
  nodeModel: 'linear' | 'slots';
  count: number;
  gap: number;
}): SimRun {
  const rolled = dice(seed);
  const half = { end: LAYERS / 2 - 1 };
  const machines = [machine(0, half), machine(1, { start: LAYERS / 2, slots: 2 }), machine(2, { slots: 3 })];
  const both: SimRoute = { key: 'both', hops: [0, 1].map((at) => ({ machine: at, layers: LAYERS / 2 })) };
  const routesAt = (up: readonly boolean[]): SimRoute[] => [
    ...(up[0] && up[1] ? [both] : []),
    ...(up[2] ? [alone(2)] : []),
  ];
  const arrivals = Array.from({ length: count }, (_, id) =>
    request(id, id * gap, 1 + Math.floor(rolled.next() * 200)),
  );
  const changes = Array.from({ length: 8 }, () => ({
    ...{ at: rolled.next() * 200, machine: Math.floor(rolled.next() * 3) },
    ...(rolled.next() < 0.5 ? { up: rolled.next() < 0.5 } : { factor: 1 + 7 * rolled.next() }),
  })).sort((a, b) => a.at - b.at);
  const policy = {
    pick: (_: object, routes: readonly SimRoute[]) =>
      rolled.next() < 0.1 ? null : Math.floor(rolled.next() * routes.length),
  };
  return simulate({ machines, nodeModel, arrivals, changes, routesAt }, policy, { queueLength: 5 });
}

describe('the simulator', () => {
  it('ends every arrival finished, refused or unfinished, in a time that is none less than nothing', () => {
    fc.assert(
      fc.property(anyWorld, (asked) => {
        const { results } = drawn(asked);
        expect(results).toHaveLength(asked.count);
        for (const { outcome, seconds } of results) {
          expect(['finished', 'refused', 'unfinished']).toContain(outcome);
          expect(seconds >= 0 && Number.isFinite(seconds)).toBe(true);
        }
      }),
    );
  });

  it('gives the same run for the same seed', () => {
    fc.assert(
      fc.property(anyWorld, (asked) => expect(drawn(asked)).toEqual(drawn(asked))),
      { numRuns: 20 },
    );
  });

  it('tells a policy what happens in the order of time', () => {
    const times: number[] = [];
    const heard = (_: object, __: object, now: number): number => times.push(now);
    const ears = { firstToken: heard, ticked: heard, finished: heard };
    const arrivals = Array.from({ length: 20 }, (_, id) => request(id, id * 0.7, 20 + 10 * (id % 5)));
    simulate(world({ machines: [machine(0)], arrivals }), { ...first, ...ears });
    expect(times.length).toBeGreaterThan(60);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('bears what its capacity says: no unending queues below it, unending ones above', () => {
    const size = { promptTokens: 100, outputTokens: 100 };
    const machines = [machine(0, { slots: 2 })];
    for (const nodeModel of ['linear', 'slots'] as const) {
      const capacity = capacityOf([alone(0)], machines, nodeModel, size);
      const meanAt = (load: number): number => {
        const arrivals = Array.from({ length: 400 }, (_, id) => request(id, id / (load * capacity)));
        const { results } = simulate(world({ machines, nodeModel, arrivals }), first);
        return results.reduce((sum, { seconds }) => sum + seconds, 0) / results.length;
      };
      expect(meanAt(0.9)).toBeLessThan(150);
      expect(meanAt(1.5)).toBeGreaterThan(300);
    }
  });
});

describe('arrivals', () => {
  it('come as often as asked, with the bursts of the trace, in order', () => {
    const asked = { count: 500, perSecond: 2, jsonShare: 0.5 };
    const arrivals = arrivalsFrom('conversation', asked, dice(3));
    expect(arrivals.at(-1)?.at).toBeCloseTo(250, 0);
    const gaps = arrivals.slice(1).map(({ at }, index) => at - arrivals[index]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...gaps)).toBeGreaterThan(2);
    const json = arrivals.filter(({ isStream }) => !isStream).length;
    expect(json / 500).toBeGreaterThan(0.4);
    expect(json / 500).toBeLessThan(0.6);
  });
});

describe('what experiments cost', () => {
  const mesh = {
    ...{ now: 0, horizon: 100, active: [], world: { nodeModel: 'linear' } },
    nodes: [machine(0), machine(1, { layerSeconds: 0.02 })].map((own) => ({
      ...{ machine: own, factor: 1, held: 0 },
    })),
  };
  const [fast, slow] = [alone(0), alone(1)];

  it('is by how much longer the tried route takes than the one believed best', () => {
    const experiments = new Experiments();
    experiments.add('scout', request(0, 0), slow, fast, mesh);
    experiments.add('control', request(1, 0, 10), slow, fast, mesh);
    experiments.add('exploit', request(2, 0), slow, fast, mesh);
    expect(experiments.seconds).toEqual({ scout: expect.closeTo(11, 6), control: expect.closeTo(2, 6) });
  });

  it('is less than nothing where the scout was right, and nothing where there was no choice', () => {
    const experiments = new Experiments();
    experiments.add('scout', request(0, 0), fast, slow, mesh);
    experiments.add('control', request(1, 0), slow, slow, mesh);
    experiments.add('control', request(1, 0), slow, undefined, mesh);
    expect(experiments.seconds).toEqual({ scout: expect.closeTo(-11, 6), control: 0 });
  });

  it('is no more than what is left of the run', () => {
    const experiments = new Experiments();
    experiments.add('scout', request(0, 0, 1e6), slow, fast, { ...mesh, now: 40 });
    experiments.add('scout', request(0, 0), slow, fast, { ...mesh, now: 85 });
    expect(experiments.seconds.scout).toBeCloseTo(15 - 11, 6);
  });

  it('takes the first of the greatest for the best, and none where nothing is known', () => {
    expect(greatest([0.2, 0.4, 0.4])).toBe(1);
    expect(greatest([0, 0])).toBe(-1);
    expect(greatest([])).toBe(-1);
  });
});
