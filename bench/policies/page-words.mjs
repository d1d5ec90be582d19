import { POLICIES } from './cell.mjs';
import { SCENARIOS } from './scenarios.mjs';

const list = (entries) => entries.map(([name, says]) => `- **${name}**: ${says}`).join('\n');

/** The prose of docs/policies.md. */
export const words = {
  opening: ({ requests, seeds }) => `# Routing policies, compared

Written by \`npm run bench:policies\`; edit bench/policies, not this page. ${requests.toLocaleString('en')} requests a run, seeds ${seeds.join(', ')}, arrivals and sizes of the
[Azure LLM inference traces](../bench/policies/traces/README.md), their bursts kept. The mesh is simulated; the policies, the enumeration and everything that is learned
are the tracker's own code. Seconds are virtual.

**Read it for its ordering.** The mesh is synthetic; on yours, \`x-meshnet-route-mode: control\` marks the small share of chats that is routed by least in-flight, for comparison.

Switch it on with \`MESHNET_ROUTE_POLICY=least-expected-delay\`.

${list(Object.entries(POLICIES).map(([name, { says }]) => [name, says]))}

Scenarios:

${list(Object.values(SCENARIOS).map(({ title, says }) => [title, says]))}
`,

  misses: (verdicts) => {
    const missed = verdicts.filter(({ holds }) => !holds);
    if (missed.length === 0) return 'Every cell holds.\n';
    const impossible = missed.filter(({ oracles, limit }) => oracles > limit);
    const others = missed.filter((verdict) => !impossible.includes(verdict));
    return `### Cells that miss, and why

In ${impossible.length} of the ${missed.length} cells that miss, 0.6 of the best peer's mean cannot be had: the oracle, which knows everything, stays above it too (its figure stands in brackets). So it
is where the routes hardly differ and nothing goes wrong (a steady mesh of 60 nodes, whose twelve best routes run on machines that are as good as alike), where load is so low that
any route is free, and where it is so high that all are full. Where routes differ, or change, choosing well pays.

${impossible.map(missText).join('\n')}

The other ${others.length}. In the slots model a mesh close to its capacity may fall into long lines from which it recovers slowly, since a call that waits for its second node holds a place on its
first; how many places a node has must be learned first, and nodes that registered speeds wrong by a factor of three are believed until then. At low load there are few calls to learn from
while nodes drift. Of long prompts only a guess is known when a route is chosen, and what a prompt costs on a node is learned while nothing else delays a first token.

${others.map(missText).join('\n')}
`;
  },

  costs: `Of each chat that was sent elsewhere than the policy believed best: the seconds by which that route takes longer than the other, both as the oracle foresees them when the chat is
sent, over the seconds of all users. Scouts that were right cost less than nothing; on crowded nodes more is foreseen than comes, since others leave. The mean over meshes and node models, and the worst of them in brackets. In *control* are the
chats that \`least-expected-delay\` sends by least in-flight for comparison (\`MESHNET_ROUTE_CONTROL_SHARE\`); at 130 % of capacity all routes are full, and the figures say little.
`,

  admission: `## Goodput with admission

\`MESHNET_ADMISSION_SECONDS_PER_TOKEN\` lets requests wait in the tracker while even the best route is expected to be slow. Past the mesh's capacity somebody has to be turned away; who is served is then served well.
`,

  columns: `Mean, p50 and p99 are over all requests that were not refused; whoever is unfinished 300 s after the last arrival counts with its time so far. Goodput: the share of all arrivals that
finished within three times what they take on the empty mesh. Scouts cost: above.
`,

  follow: `The busiest node becomes eight times slower a third of the way through, and recovers after another third. Counted in bins of 20 s until the share of calls that pass it has gone four
fifths of the way to where it settles. At low load there are few calls to find out with: a node that nobody uses is tried again by scouts, and what was held against it decays.
`,

  method: `## How it is simulated

Discrete events on a virtual clock, seeded. Two node models. *Linear*: n calls on a node slow each other to 1 + slope × (n − 1), slope 0.2–0.4 for GPUs and 0.5–0.9 for CPUs. *Slots*: a call takes a
place on each of its nodes in order, waits in line where none is free, holds what it has meanwhile, and then runs at full speed; 4 places on a GPU, 2 on a CPU; the tracker is told neither number. A call first
runs its prompt (0.02–0.05 of an output token each on GPUs, 0.1–0.25 on CPUs), then its answer; each token passes all hops, 2–8 ms each. Streams are cut into chunks of 1 to 2 tokens, another size for
each node. The tracker guesses the prompt's length (σ 0.2), and learns of the answer's when it is over. A node's death fails its calls, which are tried again at most twice. Load is relative to what the
candidate routes can bear: the largest flow along them with which no node holds more than its slots, or slows down without end; for scenarios in which nodes
are slow or away, by their average. Meshes: 2 (a GPU and a CPU), 9 (three heads, three tails, one GPU and two CPUs with all layers), 60 (eight kinds of shards). All but the ADR's defaults choose among the 12 routes
of the \`diverse\` enumeration.
`,

  constants: `## Where the constants come from

The defaults of \`MESHNET_SPEED_*\`, \`MESHNET_ROUTE_LOAD_HARM\` and the rest of config/tracker.env.example were chosen in this simulator with seeds above 100, none of which is reported here. What mattered: weighing the wait
of a call that holds a place elsewhere sixfold (without it the slots model runs into long lines); a speed of its own for each slope that a node may have (else busy nodes are taken
for fast and steep); taking time that may have been spent in a line for no sign of a slow prompt. Within a factor of two the others hardly matter: load harm 0 to 1 moves means by a few percent below 90 % load.
`,
};

function figureText(value) {
  return Number.isFinite(value) ? value.toFixed(2) : 'over 300';
}

function missText({ promise, where, value, limit, oracles }) {
  const bracket = oracles === undefined ? '' : ` (oracle’s ${oracles.toFixed(2)})`;
  return `- ${promise}: ${figureText(value)} over ${limit} at ${where}${bracket}`;
}
