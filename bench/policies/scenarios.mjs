/** Sigma of the log of what a node registers, where a scenario says nothing else. */
const USUAL_SIGMA = 0.1;

/** Everything that may be wrong with a mesh. `sigma`: of registered speeds; `changes`: what happens to its machines over time. */
export const SCENARIOS = {
  steady: { title: 'steady', says: 'nothing changes; registered speeds are right within 10 %' },
  rough: {
    title: 'rough',
    says: 'drift, deaths and registered speeds wrong by σ 0.35, all at once',
    sigma: 0.35,
    changes: [drift, deaths],
  },
  drift: {
    title: 'drift',
    says: 'every ~500 s a node becomes 1 to 8 times slower than it could be, or recovers',
    changes: [drift],
  },
  deaths: {
    title: 'deaths and joins',
    says: 'a node dies every ~1500 s and comes back ~300 s later; its calls are tried again elsewhere',
    changes: [deaths],
  },
  flapping: {
    title: 'flapping',
    says: 'a quarter of the nodes go for 20 s every ~80 s',
    changes: [flapping],
  },
  'priors-0.35': { title: 'priors σ 0.35', says: 'registered speeds wrong by σ 0.35', sigma: 0.35 },
  'priors-1.0': { title: 'priors σ 1.0', says: 'registered speeds wrong by σ 1.0', sigma: 1 },
  'long-prompts': {
    title: 'long prompts',
    says: 'the code trace: 2,050 prompt tokens and 28 output tokens on average',
    trace: 'code',
  },
  'half-json': { title: 'half JSON', says: 'half of the answers come in one piece', jsonShare: 0.5 },
};

/** What a scenario leaves unsaid. */
export function scenarioOf(name) {
  return { sigma: USUAL_SIGMA, trace: 'conversation', jsonShare: 0, changes: [], ...SCENARIOS[name] };
}

const DRIFT_SECONDS = 500;
/** Slowdowns are 1 to 8, as many between 1 and 2 as between 4 and 8. */
const DRIFT_OCTAVES = 3;
const MEAN_LIFE_SECONDS = 1500;
const MEAN_DEATH_SECONDS = 300;
const FLAP_DOWN_SECONDS = 20;
const FLAP_UP_SECONDS = 60;

/** Share of its speed that a machine has on average, under a scenario. */
export function availabilityOf({ changes }) {
  const drifted = (1 - 2 ** -DRIFT_OCTAVES) / (DRIFT_OCTAVES * Math.LN2);
  const alive = MEAN_LIFE_SECONDS / (MEAN_LIFE_SECONDS + MEAN_DEATH_SECONDS);
  const flapping_ = FLAP_UP_SECONDS / (FLAP_UP_SECONDS + FLAP_DOWN_SECONDS);
  return ({ index }) =>
    (changes.includes(drift) ? drifted : 1) *
    (changes.includes(deaths) ? alive : 1) *
    (changes.includes(flapping) && flaps(index) ? flapping_ : 1);
}

/** What happens until `seconds`, in order. */
export function changesOf({ changes }, machines, seconds, dice) {
  return changes.flatMap((change) => change(machines, seconds, dice)).sort((a, b) => a.at - b.at);
}

function drift(machines, seconds, dice) {
  return machines.flatMap(({ index }) => {
    const changes = [];
    for (let at = 0; at < seconds; at += dice.exponential(DRIFT_SECONDS)) {
      changes.push({ at, machine: index, factor: 2 ** dice.between(0, DRIFT_OCTAVES) });
    }
    return changes;
  });
}

function deaths(machines, seconds, dice) {
  return machines.flatMap(({ index }) => {
    const changes = [];
    for (
      let at = dice.exponential(MEAN_LIFE_SECONDS);
      at < seconds;
      at += dice.exponential(MEAN_LIFE_SECONDS)
    ) {
      changes.push({ at, machine: index, up: false });
      at += Math.max(30, dice.exponential(MEAN_DEATH_SECONDS));
      changes.push({ at, machine: index, up: true });
    }
    return changes;
  });
}

function flapping(machines, seconds, dice) {
  return machines
    .filter(({ index }) => flaps(index))
    .flatMap(({ index }) => {
      const changes = [];
      for (
        let at = dice.exponential(FLAP_UP_SECONDS);
        at < seconds;
        at += dice.exponential(FLAP_UP_SECONDS)
      ) {
        changes.push({ at, machine: index, up: false });
        at += FLAP_DOWN_SECONDS;
        changes.push({ at, machine: index, up: true });
      }
      return changes;
    });
}

/** One node of two, one of each kind of nine. */
function flaps(index) {
  return index % 4 === 0;
}
