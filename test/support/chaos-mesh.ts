import type { ReferenceNodeOptions } from '../../src/demo/node-options.js';
import type { ReferenceNode } from '../../src/demo/reference-node.js';
import type { Rng } from '../../src/kernel/index.js';
import type { ReferenceMesh } from './reference-mesh.js';

const FAST_MS_PER_LAYER = 0.05;
const SLOW_MS_PER_LAYER = 1;
const STALLED_MS_PER_LAYER = 60_000;

/** A place in the mesh. */
interface Place {
  readonly options: ReferenceNodeOptions;
  node: ReferenceNode | 'down' | 'starting';
}

export type Mischief = 'killed' | 'restarted' | 'stalled' | 'slowed' | 'healed';

/** Nodes to which something happens all the time. What, and to whom, is the dice's doing alone. */
export class ChaosMesh {
  readonly done = new Map<Mischief, number>();
  private readonly places: Place[] = [];

  constructor(
    private readonly mesh: ReferenceMesh,
    private readonly rng: Rng,
  ) {}

  /** A node to which things may happen. */
  async add(options: ReferenceNodeOptions): Promise<void> {
    const place: Place = { options, node: 'down' };
    this.places.push(place);
    await this.start(place);
  }

  /** One thing more happens. Resolves when it has; a restarted node is registered again by then. */
  async strike(): Promise<void> {
    const place = this.places[Math.floor(this.rng() * this.places.length)];
    if (place === undefined) return;
    const { node } = place;
    const dice = this.rng();
    if (node === 'starting') return;
    if (node === 'down') await this.restart(place);
    else if (dice < 0.25) this.kill(place, node);
    else if (dice < 0.4) this.pace(node, STALLED_MS_PER_LAYER, 'stalled');
    else if (dice < 0.55) this.pace(node, SLOW_MS_PER_LAYER, 'slowed');
    else this.pace(node, FAST_MS_PER_LAYER, 'healed');
  }

  /** All is well again. */
  async heal(): Promise<void> {
    for (const place of this.places) {
      if (place.node === 'down') await this.start(place);
      else if (place.node !== 'starting') place.node.msPerLayer = FAST_MS_PER_LAYER;
    }
  }

  private async start(place: Place): Promise<void> {
    place.node = 'starting';
    place.node = await this.mesh.add({ msPerLayer: FAST_MS_PER_LAYER, ...place.options });
  }

  private async restart(place: Place): Promise<void> {
    await this.start(place);
    this.note('restarted');
  }

  private kill(place: Place, node: ReferenceNode): void {
    this.mesh.kill(node);
    place.node = 'down';
    this.note('killed');
  }

  private pace(node: ReferenceNode, msPerLayer: number, mischief: Mischief): void {
    node.msPerLayer = msPerLayer;
    this.note(mischief);
  }

  private note(mischief: Mischief): void {
    this.done.set(mischief, (this.done.get(mischief) ?? 0) + 1);
  }
}
