import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { SPEED_SETTINGS, type SpeedSettings } from '../settings/index.js';
import { NodeSpeeds, type CallAsk, type SpeedBelief } from './node-speeds.js';
import type { SpeedHop } from './node-state.js';
import type { CallWork, ExpectedDelay } from './route-delay.js';
import { speedConstants } from './speed-constants.js';
import type { CallStart, WatchedCall } from './watched-call.js';

/** What is believed of the speeds of nodes, on the tracker's clock. Watched calls take its seconds, {@link seconds}. */
@Injectable()
export class NodeSpeedsService {
  private readonly speeds: NodeSpeeds;

  constructor(
    @Inject(SPEED_SETTINGS) settings: Readonly<SpeedSettings>,
    @Inject(CLOCK) private readonly clock: Clock,
    bus: EventBus,
  ) {
    this.speeds = new NodeSpeeds(speedConstants(settings));
    bus.on('model.forgotten', ({ model }) => this.speeds.forget(model));
  }

  /** Now, in seconds of the monotonic clock. */
  seconds(): number {
    return this.clock.now() / 1000;
  }

  expect(model: string, hops: readonly SpeedHop[], ask: CallAsk): ExpectedDelay {
    return this.speeds.expect(model, hops, ask, this.seconds());
  }

  /** The size of a call that is asked for, its output guessed. */
  workOf(model: string, ask: CallAsk): CallWork {
    return this.speeds.workOf(model, ask, this.seconds());
  }

  /** A call as the model's usually are. */
  usual(model: string): CallWork {
    return this.speeds.usual(model, this.seconds());
  }

  /** Counts a call in and watches it; whoever begins it tells its end. */
  begin(model: string, hops: readonly SpeedHop[], start: CallStart): WatchedCall {
    return this.speeds.begin(model, hops, start, this.seconds());
  }

  /** null of a node that no call went to. */
  beliefOf(model: string, nodeKey: string): SpeedBelief | null {
    return this.speeds.beliefOf(model, nodeKey, this.seconds());
  }
}
