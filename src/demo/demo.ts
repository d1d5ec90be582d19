import type { Clock } from '../kernel/clock.js';
import type { Rng } from '../kernel/rng.js';
import { ChildMesh } from './child-mesh.js';
import { BIG_MODEL, DEMO_NODES, SMALL_MODEL } from './demo-nodes.js';
import type { EmbeddedTracker } from './embedded-tracker.js';
import { freePort } from './free-port.js';
import { fetchRoutes, LiveTable } from './live-table.js';
import { sleep } from './pace.js';
import type { Screen } from './screen.js';
import { Traffic } from './traffic.js';

export interface DemoParts {
  readonly startTracker: (port: number) => Promise<EmbeddedTracker>;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly screen: Screen;
}

const READY_WAIT_MS = 20_000;
const READY_LOOK_MS = 100;
/** The big model has two ways: gpu and tail, or the cpu alone. */
const ROUTES_EXPECTED = { [BIG_MODEL]: 2, [SMALL_MODEL]: 1 };
const PLANS = [
  { model: BIG_MODEL, everyMs: 700, maxTokens: 24 },
  { model: SMALL_MODEL, everyMs: 2_500, maxTokens: 24 },
];

/** A tracker here, its mesh in processes beside it, chats flowing, and the table of what is learned. */
export class Demo {
  private readonly mesh: ChildMesh;
  private readonly ends = new AbortController();
  private tracker: EmbeddedTracker | null = null;
  private traffic: Traffic | null = null;
  private table: LiveTable | null = null;

  constructor(private readonly parts: DemoParts) {
    this.mesh = new ChildMesh(parts.clock, (line) => parts.screen.say(line));
  }

  /** Resolves once chats can be asked. Rejects when the tracker or the mesh doesn't come up, or `end` came first. */
  async start(wantedPort: number, withTraffic: boolean): Promise<void> {
    const { clock, rng, screen, startTracker } = this.parts;
    const port = await freePort(wantedPort);
    if (port !== wantedPort) screen.say(`Port ${String(wantedPort)} is busy, taking another.`);
    this.tracker = await startTracker(port);
    const { url } = this.tracker;
    this.ends.signal.throwIfAborted();
    this.mesh.start(DEMO_NODES, url);
    await this.ready(url);
    screen.say(...welcome(url));
    if (withTraffic) {
      this.traffic = new Traffic(url, clock, rng, (line) => screen.say(line));
      this.traffic.start(PLANS);
    }
    this.table = new LiveTable(url, () => this.traffic?.counts ?? null, screen, clock);
    this.table.start();
  }

  /** Ends chats, nodes and tracker, in this order. */
  async end(): Promise<void> {
    this.ends.abort(new Error('the demo was ended'));
    this.table?.end();
    await this.traffic?.end();
    await this.mesh.end();
    await this.tracker?.stop();
  }

  private async ready(url: string): Promise<void> {
    const until = this.parts.clock.now() + READY_WAIT_MS;
    while (!(await isComplete(url))) {
      if (this.parts.clock.now() > until) throw new Error('the nodes of the mesh did not come up');
      await sleep(this.parts.clock, READY_LOOK_MS, this.ends.signal);
    }
  }
}

async function isComplete(url: string): Promise<boolean> {
  const { models } = await fetchRoutes(url);
  return Object.entries(ROUTES_EXPECTED).every(
    ([model, count]) => (models.find((known) => known.model === model)?.candidates.length ?? 0) >= count,
  );
}

function welcome(url: string): string[] {
  const body = {
    model: BIG_MODEL,
    stream: true,
    messages: [{ role: 'user', content: 'Which way is the fastest?' }],
  };
  return [
    '',
    `The tracker listens on ${url}, four nodes have joined. Chat with them:`,
    '',
    `  curl -N ${url}/v1/chat/completions -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
    '',
    `Watch it:      ${url}/dashboard`,
    `What it knows: ${url}/v1/routing  ${url}/v1/nodes  ${url}/v1/calls  ${url}/v1/events`,
    'Ctrl-C ends everything.',
  ];
}
