import { CandidatesService } from '../../src/candidate-enumeration/index.js';
import { EventBus, seededRng, systemLookup, type MeshEvent } from '../../src/kernel/index.js';
import { NodeHealthService, type Outcome } from '../../src/node-health/index.js';
import { NodeNetworksService } from '../../src/node-networks/index.js';
import { NodeSpeedsService } from '../../src/node-speeds/index.js';
import { RegistryService, type MeshNode, type NodeSpec, type Registered } from '../../src/registry/index.js';
import { CandidateStatesService } from '../../src/routing/candidate-states.service.js';
import { RecentChoicesService } from '../../src/routing/recent-choices.service.js';
import { RouteOutlooksService } from '../../src/routing/route-outlooks.service.js';
import { RoutingController } from '../../src/routing/routing.controller.js';
import { RoutingTableService } from '../../src/routing/routing-table.service.js';
import {
  AdmissionService,
  ExpectationsService,
  Resting,
  RoutingService,
  type Decision,
} from '../../src/routing/index.js';
import { judgeSample, RoutingStatsService, type SampleVerdict } from '../../src/routing-stats/index.js';
import {
  CallSettings,
  NodeNetworkSettings,
  NodesSettings,
  RoutingSettings,
  ServingSettings,
  SpeedSettings,
  WalletProofSettings,
} from '../../src/settings/index.js';
import { TopologyService } from '../../src/topology/index.js';
import { WalletProofService } from '../../src/wallet-proof/index.js';
import { aSpec } from './builders.js';
import { ManualClock } from './manual-clock.js';
import { SilentLogger } from './silent-logger.js';

export interface RoomOptions {
  readonly seed?: number;
  readonly routing?: Partial<RoutingSettings>;
  readonly nodes?: Partial<NodesSettings>;
  readonly serving?: Partial<ServingSettings>;
  readonly calls?: Partial<CallSettings>;
  readonly clock?: ManualClock;
}

/** How an answer came about, as far as it matters to the rooms. */
export interface AnswerFacts {
  readonly tokens?: number;
  readonly elapsedMs?: number;
  readonly ending?: 'completed' | 'failed' | 'cut_off' | 'client_left';
  readonly isEstimated?: boolean;
}

/** The domain of one tracker on a clock that the test moves, without Nest and without HTTP. */
export class Rooms {
  readonly clock: ManualClock;
  readonly logger = new SilentLogger();
  readonly bus = new EventBus(this.logger);
  readonly events: MeshEvent[] = [];
  readonly settings: {
    readonly routing: RoutingSettings;
    readonly nodes: NodesSettings;
    readonly serving: ServingSettings;
    readonly calls: CallSettings;
  };
  readonly networks = new NodeNetworksService(new NodeNetworkSettings(), systemLookup);
  readonly proofs: WalletProofService;
  readonly registry: RegistryService;
  readonly topology: TopologyService;
  readonly health: NodeHealthService;
  readonly speeds: NodeSpeedsService;
  readonly candidates: CandidatesService;
  readonly stats: RoutingStatsService;
  readonly expectations: ExpectationsService;
  readonly routing: RoutingService;
  readonly admission: AdmissionService;
  readonly table: RoutingTableService;
  readonly routingController: RoutingController;

  constructor({
    seed = 1,
    routing = {},
    nodes = {},
    serving = {},
    calls = {},
    clock = new ManualClock(),
  }: RoomOptions = {}) {
    this.clock = clock;
    this.settings = {
      routing: Object.assign(new RoutingSettings(), routing),
      nodes: Object.assign(new NodesSettings(), nodes),
      serving: Object.assign(new ServingSettings(), serving),
      calls: Object.assign(new CallSettings(), calls),
    };
    this.bus.all().subscribe((event) => this.events.push(event));
    this.proofs = new WalletProofService(new WalletProofSettings(), clock);
    this.registry = new RegistryService(this.settings.nodes, this.settings.calls, clock, this.bus);
    this.topology = new TopologyService(clock, this.bus, this.registry);
    this.health = new NodeHealthService(
      clock,
      this.settings.routing,
      this.settings.serving,
      this.registry,
      this.bus,
    );
    this.candidates = new CandidatesService(
      this.settings.routing,
      this.topology,
      this.health,
      this.settings.nodes,
      clock,
      this.bus,
    );
    this.stats = new RoutingStatsService(this.settings.routing, clock, this.topology, this.bus);
    this.speeds = new NodeSpeedsService(new SpeedSettings(), clock, this.bus);
    this.expectations = new ExpectationsService(
      this.settings.routing,
      this.speeds,
      this.health,
      this.topology,
    );
    this.routing = new RoutingService(
      this.settings.routing,
      seededRng(seed),
      this.topology,
      this.candidates,
      new CandidateStatesService(this.candidates, this.stats, this.expectations, this.health, clock),
      this.health,
    );
    this.admission = new AdmissionService(
      this.settings.routing,
      this.candidates,
      this.expectations,
      this.health,
    );
    this.table = new RoutingTableService(
      clock,
      this.topology,
      this.candidates,
      this.stats,
      this.routing,
      new RouteOutlooksService(
        this.health,
        this.expectations,
        new RecentChoicesService(this.expectations, this.bus),
      ),
    );
    this.routingController = new RoutingController(this.settings.routing, this.table);
  }

  join(stated: Partial<NodeSpec> & { readonly wallet: string }): Registered {
    return this.registry.register(aSpec(stated));
  }

  /** How often each model's epoch was bumped so far, as the bus told it. */
  bumps(model: string): number {
    return this.events.filter(({ type, fact }) => type === 'epoch.bumped' && fact.model === model).length;
  }

  /** Keeps every node alive while time goes by. */
  live(ms: number): void {
    const end = this.clock.now() + ms;
    const step = (this.registry.leaseSeconds * 1000) / 3;
    while (this.clock.now() < end) {
      this.clock.advance(Math.min(step, end - this.clock.now()));
      for (const node of this.registry.nodes()) this.registry.touch(node);
    }
  }

  /** A decision where there must be room for one. */
  decide(model: string, pin: readonly string[] | null): Decision {
    const decision = this.routing.decide(model, pin);
    if (decision === 'full') throw new Error('every route is full');
    if (decision instanceof Resting) throw new Error('every route rests');
    return decision;
  }

  decideAgain(model: string, tried: ReadonlySet<MeshNode>): Decision | null {
    const decision = this.routing.decideAgain(model, tried);
    if (decision === 'full') throw new Error('every route is full');
    return decision;
  }

  /** One chat over the decided route, start to end, as the proxy runs it: ticket, judgement, sample, outcome. */
  answer(decision: Decision, facts: AnswerFacts = {}): SampleVerdict {
    const finish = this.begin(decision);
    this.clock.advance(facts.elapsedMs ?? 1000);
    return finish(facts);
  }

  /** The first half of a chat; the second is the function returned. */
  begin(decision: Decision): (facts: AnswerFacts) => SampleVerdict {
    const ticket = this.health.take(decision.route);
    if (decision.mode === 'scout') this.stats.scoutStarted(decision.signature);
    return ({ tokens = 100, elapsedMs = 1000, ending = 'completed', isEstimated = false }) => {
      const verdict = judgeSample(
        { ending, completionTokens: tokens, isEstimated, elapsedMs, heldUpMs: 0 },
        this.settings.routing.minSampleTokens,
      );
      if (verdict.kind === 'sample') this.record(decision, verdict.tps, verdict.weight);
      if (decision.mode === 'scout') this.stats.scoutEnded(decision.signature, verdict.kind === 'sample');
      ticket.settle(outcomeOf(ending, decision));
      return verdict;
    };
  }

  /** A sample of this decision's route. */
  record(decision: Decision, tps: number, weight = 1): void {
    const { model, signature, epoch, mode } = decision;
    this.stats.record({ model, signature, tps, weight, epoch, isPinned: mode === 'pinned' });
  }

  /** Pins each of these routes once, so that all are proven at so many tokens/s. */
  prove(model: string, speeds: Readonly<Record<string, number>>): void {
    for (const [pin, tps] of Object.entries(speeds)) {
      this.record(this.decide(model, pin.split(' -> ')), tps);
    }
  }
}

function outcomeOf(ending: AnswerFacts['ending'], { route }: Decision): Outcome {
  if (ending === 'completed') return { kind: 'success' };
  const head = route.hops[0];
  if (ending === 'client_left' || head === undefined) return { kind: 'neutral' };
  return { kind: 'failure', blame: head.node };
}
