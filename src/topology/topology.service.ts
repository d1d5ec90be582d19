import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, EventBus, type Clock, type NodeMoved } from '../kernel/index.js';
import { isServing, RegistryService } from '../registry/index.js';
import { gapsOf, viewOf, type CoverageGap, type Departure, type ModelView } from './model-view.js';
import { whyNoRoute } from './no-route-words.js';

/** Departures remembered per model: enough to name who is missing after a whole rack went. */
const MOST_DEPARTURES = 64;
/** More bumps than this within this time are a storm. */
const STORM_BUMPS = 8;
const STORM_MS = 1000;

interface ModelTopology {
  epoch: number;
  /** Monotonic ms of the newest bumps, oldest first. */
  readonly bumps: number[];
  view: ModelView | null;
  readonly departures: Departure[];
}

/** The one owner of epochs. Each join and leave bumps its model's at once and is announced as `epoch.bumped`. */
@Injectable()
export class TopologyService {
  private readonly models = new Map<string, ModelTopology>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: EventBus,
    private readonly registry: RegistryService,
  ) {
    bus.on('node.joined', (fact) => this.bump(fact));
    bus.on('node.left', (fact) => {
      this.remember(fact);
      // The node's new shard joins in the same step: one change, one bump.
      if (fact.cause !== 'resharded') this.bump(fact);
    });
    bus.on('model.forgotten', ({ model }) => this.models.delete(model));
  }

  isKnown(model: string): boolean {
    return this.models.has(model);
  }

  /** Models known, in the order in which they became so. */
  knownModels(): string[] {
    return [...this.models.keys()];
  }

  /** The model's epoch; 0 while it is not known. */
  epoch(model: string): number {
    return this.models.get(model)?.epoch ?? 0;
  }

  /**
   * Who serves what now, or null for a model that is not known. The same object until something changes: built
   * once an epoch, and when a node that takes no chats declares the number of layers.
   */
  view(model: string): ModelView | null {
    const topology = this.models.get(model);
    if (topology === undefined) return null;
    const layers = this.registry.numLayers(model);
    const isOutdated = layers !== null && topology.view?.numLayers !== layers;
    if (topology.view === null || isOutdated) {
      topology.view = viewOf(model, topology.epoch, layers, this.registry.serving(model));
    }
    return topology.view;
  }

  /** Whether the model has been bumped over eight times in the last second. */
  isStorming(model: string): boolean {
    const bumps = this.models.get(model)?.bumps ?? [];
    const [oldest] = bumps;
    return bumps.length > STORM_BUMPS && oldest !== undefined && this.clock.now() - oldest < STORM_MS;
  }

  /** Layers of a known model that nobody serves. */
  gaps(model: string): CoverageGap[] {
    const view = this.view(model);
    return view === null ? [] : gapsOf(view, this.models.get(model)?.departures ?? []);
  }

  /** Why a known model has no route, in words. */
  whyNoRoute(model: string): string {
    const draining = this.registry.nodes(model).filter((node) => !isServing(node));
    return whyNoRoute(this.registry.numLayers(model), this.gaps(model), draining);
  }

  private bump({ model, node_id, cause }: NodeMoved): void {
    const topology = this.models.get(model) ?? { epoch: 0, bumps: [], view: null, departures: [] };
    topology.epoch += 1;
    topology.view = null;
    topology.bumps.push(this.clock.now());
    if (topology.bumps.length > STORM_BUMPS + 1) topology.bumps.shift();
    this.models.set(model, topology);
    const { epoch } = topology;
    this.bus.publish('epoch.bumped', { model, epoch, node_id, cause, at: this.clock.wallMs() });
  }

  private remember(fact: NodeMoved): void {
    const departures = this.models.get(fact.model)?.departures;
    if (departures === undefined) return;
    const { shard_start: start, shard_end: end } = fact;
    departures.push({ nodeId: fact.node_id, shard: start === null || end === null ? null : { start, end } });
    if (departures.length > MOST_DEPARTURES) departures.shift();
  }
}
