import { ConflictError, InvalidRequestError, type LayerSpan } from '../kernel/index.js';

/** A model stays known this long after its last node left. */
const REMEMBER_MS = 24 * 3_600_000;

interface KnownModel {
  numLayers: number | null;
  nodes: number;
  /** Monotonic ms at which it is forgotten, or null while it has nodes. */
  forgetAt: number | null;
  readonly knownSinceMs: number;
}

/**
 * Which models are known and how many layers each has. A model is known from its first registration until
 * 24 h after its last node left; a declared num_layers stays as long.
 */
export class ModelCatalog {
  private readonly models = new Map<string, KnownModel>();

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
      forgetAt: null,
      knownSinceMs: wallMs,
    };
    known.numLayers ??= numLayers;
    known.nodes += 1;
    known.forgetAt = null;
    this.models.set(model, known);
  }

  nodeLeft(model: string, now: number): void {
    const known = this.models.get(model);
    if (known === undefined) return;
    known.nodes -= 1;
    if (known.nodes === 0) known.forgetAt = now + REMEMBER_MS;
  }

  /** Drops and returns the models that have been without nodes for too long. */
  forgetDue(now: number): string[] {
    const due = [...this.models].filter(([, { forgetAt }]) => forgetAt !== null && forgetAt <= now);
    for (const [model] of due) this.models.delete(model);
    return due.map(([model]) => model);
  }

  /** Monotonic ms at which something will be due next, Infinity when nothing will. */
  nextDue(): number {
    return Math.min(...[...this.models.values()].map(({ forgetAt }) => forgetAt ?? Infinity), Infinity);
  }
}
