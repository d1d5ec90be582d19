import type { Route } from '../candidate-enumeration/index.js';
import type { NodeHealthService } from '../node-health/index.js';
import type { LeftOut } from './considered.js';

/** Whether the nodes of routes may get a chat at the moment: none of them rests, is blocked or is full. */
export class RouteAvailability {
  constructor(private readonly health: NodeHealthService) {}

  /** Those with no resting node: mostly all, and then the list itself. */
  awakeOf(routes: readonly Route[]): readonly Route[] {
    if (!this.health.doesAnyRest) return routes;
    for (const route of routes)
      if (this.isResting(route)) return routes.filter((one) => !this.isResting(one));
    return routes;
  }

  /** Those with no blocked node: mostly all, and then the list itself. */
  openOf(routes: readonly Route[]): readonly Route[] {
    for (const route of routes)
      if (this.isBlocked(route)) return routes.filter((one) => !this.isBlocked(one));
    return routes;
  }

  /** Those with room on each node: mostly all, and then the list itself. */
  freeOf(routes: readonly Route[]): readonly Route[] {
    for (const route of routes) if (this.isFull(route)) return routes.filter((one) => !this.isFull(one));
    return routes;
  }

  isFull({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isFull(node)) return true;
    return false;
  }

  /** Milliseconds until each of its nodes has rested. */
  restMs({ hops }: Route): number {
    return hops.reduce((longest, { node }) => Math.max(longest, this.health.restMs(node)), 0);
  }

  /** @param route one that is not available, for one of these reasons */
  whyLeftOut(route: Route | undefined): LeftOut['reason'] {
    if (route === undefined) return 'full';
    if (this.isResting(route)) return 'resting';
    return this.isFull(route) ? 'full' : 'breaker_open';
  }

  private isResting({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isResting(node)) return true;
    return false;
  }

  private isBlocked({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isBlocked(node)) return true;
    return false;
  }
}
