import { Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import { TopologyService } from '../topology/index.js';

/** What stands for every model that has no label of its own. */
export const SHARED_LABEL = 'other';
const MOST_MODELS = 200;

/** Which models have a label of their own: the first 200 known ones that are shown or counted. */
@Injectable()
export class ModelLabels {
  private readonly own = new Set<string>();

  constructor(
    bus: EventBus,
    private readonly topology: TopologyService,
  ) {
    bus.on('model.forgotten', ({ model }) => this.own.delete(model));
  }

  /** @param model null where the mesh knows no such model */
  of(model: string | null): string {
    if (model === null) return SHARED_LABEL;
    return this.own.has(model) || this.grants(model) ? model : SHARED_LABEL;
  }

  private grants(model: string): boolean {
    // A model may really be called that; then it shares the label with the rest.
    if (model === SHARED_LABEL || this.own.size >= MOST_MODELS) return false;
    if (!this.topology.isKnown(model)) return false;
    this.own.add(model);
    return true;
  }
}
