import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, randomId, type Clock } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import type { MeshNode } from '../registry/index.js';
import type { HeadAnswer } from './relay/attempt-end.js';
import { TRACKER_HEADER } from './request/headers.js';

const LOOP_DETECTED = 508;
const NAME = /^meshnet-[\w-]{1,64}$/i;
const HOPS = /\d\s+meshnet-[\w-]+/gi;
/** What came before is cut off at its beginning: a loop closes at its end. */
const MOST_CHARACTERS = 1024;
/** Another server may have taken the place of a tracker. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 1000;
const NOBODY: ReadonlySet<MeshNode> = new Set();

/** What loops have to do with one chat. */
export interface Passage {
  /** This tracker, as it is called in `Via`. */
  readonly tracker: string;
  /** Nodes that would send the chat back to where it has been. */
  readonly leadingBack: ReadonlySet<MeshNode>;
  /** How many trackers have sent it on; each tries fewer routes than the one before, or they would try without end. */
  readonly hops: number;
}

interface OtherTracker {
  readonly name: string;
  /** The node may move. */
  readonly endpoint: string;
  readonly until: number;
}

/**
 * How a tracker knows its own chats when they come back, by way of a node that leads to it or of other trackers: each
 * hop adds itself to `Via` (RFC 9110, 7.6.3), under a name that no other has. A node that has told that it is a tracker gets
 * none of the chats that have been through it while it can be spared, and for a while no others if it knew no other way.
 */
@Injectable()
export class LoopsService {
  /** What this one is called in `Via`. */
  readonly tracker = `meshnet-${randomId()}`;
  /** What is added to `Via`. */
  private readonly own = `1.1 ${this.tracker}`;
  /** Of a chat that no tracker has sent on: nearly all. */
  private readonly first: Passage = { tracker: this.tracker, leadingBack: NOBODY, hops: 0 };
  private readonly trackers = new Map<MeshNode, OtherTracker>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly health: NodeHealthService,
  ) {}

  /** Whether this tracker has sent it on before. */
  hasPassed({ via }: IncomingHttpHeaders): boolean {
    return via?.toLowerCase().includes(this.tracker) === true;
  }

  /** What the next one is told. */
  through({ via = '' }: IncomingHttpHeaders): string {
    return via === '' ? this.own : `${via.slice(-MOST_CHARACTERS)}, ${this.own}`;
  }

  /** @param model the one that is asked for */
  passage(headers: IncomingHttpHeaders, model: string): Passage {
    const hops = headers.via?.match(HOPS)?.length ?? 0;
    if (hops === 0) return this.first;
    return { tracker: this.tracker, leadingBack: this.leadingBack(headers, model), hops };
  }

  /** What the head answered may be that the chat had been there. */
  learn(node: MeshNode, { status, headers }: HeadAnswer, { hops }: Passage): void {
    const name = headers[TRACKER_HEADER];
    if (status !== LOOP_DETECTED || typeof name !== 'string' || !NAME.test(name)) return;
    // Its client may have made up where a chat has been; one that was here first found nothing but the way back.
    if (hops === 0) this.health.ledBack(node);
    if (this.trackers.size >= MOST_REMEMBERED) this.forgetOld();
    if (this.trackers.size >= MOST_REMEMBERED) return;
    const until = this.clock.now() + REMEMBERED_MS;
    this.trackers.set(node, { name: name.toLowerCase(), endpoint: node.endpoint, until });
  }

  /** Nodes of a model that are known to be trackers through which the chat has come. */
  private leadingBack({ via = '' }: IncomingHttpHeaders, model: string): ReadonlySet<MeshNode> {
    if (this.trackers.size === 0) return NOBODY;
    this.forgetOld();
    const passed = via.toLowerCase();
    const back = [...this.trackers].filter(
      ([node, { name }]) => node.model === model && passed.includes(name),
    );
    return new Set(back.map(([node]) => node));
  }

  private forgetOld(): void {
    const now = this.clock.now();
    for (const [node, { endpoint, until }] of this.trackers) {
      if (!node.present || node.endpoint !== endpoint || until <= now) this.trackers.delete(node);
    }
  }
}
