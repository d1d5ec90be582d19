import { ConflictError, InvalidRequestError, type LayerSpan } from '../kernel/index.js';

/** A model stays known this long after its last node left. */
const REMEMBER_MS = 24 * 3_600_000;
/** Of models without nodes no more are remembered: names cost nothing to those who make them up. */
const MOST_ABSENT = 10_000;

interface KnownModel {
  numLayers: number | null;
  nodes: number;
  readonly knownSinceMs: number;
}

/**
 * Which models are known and how many layers each has. A model is known from its first registration until
 * 24 h after its last node left; a declared num_layers stays as long. Of models without nodes the newest 10,000 are
 * remembered.
 */
export class ModelCatalog {
  private readonly models = new Map<string, KnownModel>();
  /** Models without nodes and the monotonic ms at which each is forgotten, the first to go first. */
  private readonly absent = new Map<string, number>();

  has(model: string): boolean {
    return this.models.has(model);
  }

  keys(): string[] {
    return [...this.models.keys()];
  }

  /** As declared, or null where nobody did. */
  numLayers(model: string): number | null {
    return this.models.get(model)?.numLayers ?? null;
  }

  /** Unix time in ms of the first registration, or null. */
  knownSinceMs(model: string): number | null {
    return this.models.get(model)?.knownSinceMs ?? null;
  }

  /**
   * Checks that a declaration fits what is known, without changing anything.
   *
   * @throws ConflictError another num_layers than the known one
   * @throws InvalidRequestError a shard without num_layers, or beyond it
   */
  check(model: string, numLayers: number | null, shard: LayerSpan | null): void {
    const known = this.numLayers(model);
    if (known !== null && numLayers !== null && numLayers !== known) {
      throw new ConflictError(`num_layers of this model is ${String(known)} already.`, 'num_layers');
    }
    const layers = known ?? numLayers;
    if (shard === null) return;
    if (layers === null) {
      throw new InvalidRequestError(
        'num_layers must be given with the first shard of a model.',
        'num_layers',
      );
    }
    if (shard.end >= layers) {
      throw new InvalidRequestError(`shard_end must be below num_layers, ${String(layers)}.`, 'shard_end');
    }
  }

  nodeJoined(model: string, numLayers: number | null, wallMs: number): void {
    const known = this.models.get(model) ?? {
      numLayers: null,
      nodes: 0,
      knownSinceMs: wallMs,
    };
    known.numLayers ??= numLayers;
    known.nodes += 1;
    this.absent.delete(model);
    this.models.set(model, known);
  }

  nodeLeft(model: string, now: number): void {
    const known = this.models.get(model);
    if (known === undefined) return;
    known.nodes -= 1;
    if (known.nodes === 0) this.absent.set(model, now + REMEMBER_MS);
  }

  /** Drops and returns the models that have been without nodes for too long, or are too many. */
  forgetDue(now: number): string[] {
    const due: string[] = [];
    for (const [model, forgetAt] of this.absent) {
      if (forgetAt > now && this.absent.size <= MOST_ABSENT) break;
      this.absent.delete(model);
      this.models.delete(model);
      due.push(model);
    }
    return due;
  }

  /** Monotonic ms at which something will be due next, Infinity when nothing will. */
  nextDue(): number {
    if (this.absent.size > MOST_ABSENT) return -Infinity;
    for (const forgetAt of this.absent.values()) return forgetAt;
    return Infinity;
  }
}
