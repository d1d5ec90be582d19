import { Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import { Timeline, type TimelineEntry } from './timeline.js';

/** Remembers how the mesh changed: epochs, breakers and the nodes file. */
@Injectable()
export class TimelineService {
  private readonly timeline = new Timeline();

  constructor(bus: EventBus) {
    const { timeline } = this;
    bus.on('epoch.bumped', (fact) => timeline.add({ type: 'epoch.bumped', ...fact }));
    bus.on('breaker.changed', (fact) => timeline.add({ type: 'breaker.changed', ...fact }));
    bus.on('nodes_file.read', (fact) => timeline.add({ type: 'nodes_file.read', ...fact }));
    bus.on('nodes_file.refused', (fact) => timeline.add({ type: 'nodes_file.refused', ...fact }));
  }

  newest(model: string | null, limit: number): TimelineEntry[] {
    return this.timeline.newest(model, limit);
  }
}
