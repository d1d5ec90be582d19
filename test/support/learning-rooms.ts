import { LearningService } from '../../src/chat-proxy/learning.service.js';
import { SpeedWatchService } from '../../src/chat-proxy/speeds/speed-watch.service.js';
import { Deadlines } from '../../src/kernel/index.js';
import type { Rooms } from './rooms.js';

/** What learns of attempts in these rooms. */
export function learningIn(rooms: Rooms): LearningService {
  const watches = new SpeedWatchService(rooms.expectations, new Deadlines(rooms.clock), rooms.logger);
  return new LearningService(rooms.settings.routing, rooms.health, rooms.stats, watches);
}
