import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { randomId } from '../../kernel/index.js';

const ANY_TRACKER = /\bmeshnet-/i;
/** What came before is cut off at its beginning: a loop closes at its end. */
const MOST_CHARACTERS = 2048;

/**
 * How a tracker knows its own chats when they come back, by way of a node that leads to it or of other trackers: each
 * hop adds itself to `Via` (RFC 9110, 7.6.3), under a name that no other has.
 */
@Injectable()
export class Via {
  private readonly name = `meshnet-${randomId()}`;

  /** Whether this tracker has sent it on before. */
  hasPassed({ via = '' }: IncomingHttpHeaders): boolean {
    return via.toLowerCase().includes(this.name);
  }

  /** What the next one is told. */
  through({ via = '' }: IncomingHttpHeaders): string {
    const own = `1.1 ${this.name}`;
    return via === '' ? own : `${via.slice(-MOST_CHARACTERS)}, ${own}`;
  }
}

/** It came by way of another tracker, which has other routes if this one has none. */
export function isFromTracker({ via }: IncomingHttpHeaders): boolean {
  return via !== undefined && ANY_TRACKER.test(via);
}
