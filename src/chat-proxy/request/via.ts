import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { randomId } from '../../kernel/index.js';

/**
 * How a tracker knows its own chats when they come back, by way of a node that leads to it or of other trackers: each
 * hop adds itself to `Via` (RFC 9110, 7.6.3), under a name that no other has.
 */
@Injectable()
export class Via {
  private readonly own = `1.1 meshnet-${randomId()}`;

  /** Whether this tracker has sent it on before. */
  hasPassed({ via }: IncomingHttpHeaders): boolean {
    return via?.includes(this.own) === true;
  }

  /** What the next one is told. */
  through({ via }: IncomingHttpHeaders): string {
    return via === undefined ? this.own : `${via}, ${this.own}`;
  }
}
