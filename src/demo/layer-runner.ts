import type { Clock } from '../kernel/clock.js';
import { spanLength, type LayerSpan } from '../kernel/span.js';
import { applyLayers } from './layer-codec.js';
import { NodeFault } from './node-faults.js';
import { shardOf, type ReferenceNodeOptions } from './node-options.js';
import { Pace, sleep } from './pace.js';
import { Slots, type LeaveSlot } from './slots.js';

/** One pass of a token's state through layers; the prompt's tokens are counted on the first pass of a sequence. */
export interface Pass {
  readonly state: Uint8Array;
  readonly span: LayerSpan;
  readonly prefillTokens: number;
}

/** The layers of one node: what a pass costs, how many sequences fit, and the load before the first one. */
export class LayerRunner {
  readonly shard: LayerSpan;
  readonly model: string;
  readonly numLayers: number;
  /** May change at any time; the next pass costs that much. */
  msPerLayer: number;
  private readonly slots: Slots;
  private readonly prefillMsPerToken: number;
  private readonly loadMs: number;
  private loadedAt: number | null = null;

  constructor(
    options: ReferenceNodeOptions,
    private readonly clock: Clock,
  ) {
    this.shard = shardOf(options);
    this.model = options.model;
    this.numLayers = options.numLayers ?? 1;
    this.msPerLayer = options.msPerLayer ?? 0;
    this.prefillMsPerToken = options.prefillMsPerToken ?? 0;
    this.loadMs = (options.loadSeconds ?? 0) * 1000;
    this.slots = new Slots(options.slots ?? 8);
  }

  /** Sequences here, running and waiting. */
  get queueDepth(): number {
    return this.slots.depth;
  }

  /**
   * A place for one sequence, once there is a slot and the model is loaded.
   *
   * @throws NodeFault (400) at once when `span` isn't among the layers of this node
   */
  async admit(span: LayerSpan, signal: AbortSignal): Promise<Stay> {
    this.refuseForeign(span);
    const leave = await this.slots.take(signal);
    try {
      await this.load(signal);
    } catch (fault) {
      leave();
      throw fault;
    }
    return new Stay(this, new Pace(this.clock), leave);
  }

  /** @throws NodeFault (400) when `span` isn't among the layers of this node */
  refuseForeign(span: LayerSpan): void {
    if (span.start >= this.shard.start && span.end <= this.shard.end) return;
    const [asked, held] = [span, this.shard].map(({ start, end }) => `${String(start)}-${String(end)}`);
    throw new NodeFault(400, 'layers_not_here', `Layers ${asked ?? ''} asked, ${held ?? ''} are here.`);
  }

  costMs({ span, prefillTokens }: Pass): number {
    const layers = spanLength(span);
    return layers * this.msPerLayer + (prefillTokens * this.prefillMsPerToken * layers) / this.numLayers;
  }

  private async load(signal: AbortSignal): Promise<void> {
    this.loadedAt ??= this.clock.now() + this.loadMs;
    const leftMs = this.loadedAt - this.clock.now();
    if (leftMs > 0) await sleep(this.clock, leftMs, signal);
  }
}

/** One sequence on one node, holding its slot until it leaves. */
export class Stay {
  constructor(
    private readonly runner: LayerRunner,
    private readonly pace: Pace,
    readonly leave: LeaveSlot,
  ) {}

  async run(pass: Pass, signal: AbortSignal): Promise<Buffer> {
    this.runner.refuseForeign(pass.span);
    await this.pace.spend(this.runner.costMs(pass), signal);
    return applyLayers(pass.state, this.runner.model, pass.span);
  }
}
