import { Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import { Timeline, type TimelineEntry } from './timeline.js';

/** A node that asks for a second of rest each second would push all else out. */
const SHORTEST_REST_SECONDS = 10;

/** Remembers how the mesh changed: epochs, breakers, rests and the nodes file. */
@Injectable()
export class TimelineService {
  private readonly timeline = new Timeline();

  constructor(bus: EventBus) {
    const { timeline } = this;
    bus.on('epoch.bumped', (fact) => timeline.add({ type: 'epoch.bumped', ...fact }));
    bus.on('breaker.changed', (fact) => timeline.add({ type: 'breaker.changed', ...fact }));
    bus.on('node.resting', (fact) => {
      if (fact.seconds >= SHORTEST_REST_SECONDS) timeline.add({ type: 'node.resting', ...fact });
    });
    bus.on('nodes_file.read', (fact) => timeline.add({ type: 'nodes_file.read', ...fact }));
    bus.on('nodes_file.refused', (fact) => timeline.add({ type: 'nodes_file.refused', ...fact }));
  }

  newest(model: string | null, limit: number): TimelineEntry[] {
    return this.timeline.newest(model, limit);
  }
}
