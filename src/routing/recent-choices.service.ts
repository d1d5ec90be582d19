import { Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import { ExpectationsService } from './expectations.service.js';
import { RecentChoices } from './recent-choices.js';

const NO_SHARES: ReadonlyMap<string, number> = new Map();
/** Of these the policy had nothing to choose. */
const NOT_CHOSEN: ReadonlySet<string> = new Set(['pinned', 'greedy-fallback']);

/**
 * Where each model's latest calls were sent. A policy that looks at what nodes hold gives nearly every call to one route
 * for certain, and the next one to another: only many choices show a share. Kept for such a policy alone.
 */
@Injectable()
export class RecentChoicesService {
  private readonly byModel = new Map<string, RecentChoices>();

  constructor({ isAsked }: ExpectationsService, bus: EventBus) {
    if (!isAsked) return;
    bus.on('route.selected', ({ model, routing: { mode, signature } }) => {
      if (!NOT_CHOSEN.has(mode)) this.of(model).add(signature);
    });
    bus.on('model.forgotten', ({ model }) => this.byModel.delete(model));
  }

  /** By signature. */
  shares(model: string): ReadonlyMap<string, number> {
    return this.byModel.get(model)?.shares() ?? NO_SHARES;
  }

  private of(model: string): RecentChoices {
    let recent = this.byModel.get(model);
    if (recent === undefined) this.byModel.set(model, (recent = new RecentChoices()));
    return recent;
  }
}
