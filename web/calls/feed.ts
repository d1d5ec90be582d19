import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { ask } from '../api/client.js';
import type { CallRecord, ListOf } from '../api/types.js';
import { mayAsk } from '../state/admin-key.js';
import { retryEvents, streamState, watchEvents, type EventType } from '../state/events.js';
import { place } from '../state/place.js';
import { faultOf, type PollFault } from '../state/poll.js';
import {
  isOpen,
  lacksAny,
  MOST_CALLS,
  vanished,
  withFinished,
  withList,
  withOpen,
  type Wall,
} from './wall.js';

const LIST = `/v1/calls?limit=${String(MOST_CALLS)}`;
const OPEN = `/v1/calls?open=true&limit=${String(MOST_CALLS)}`;

/** Ages of open calls move at this pace; with none open there is less to look for. */
const OPEN_EVERY_MS = 1000;
const IDLE_EVERY_MS = 2000;
/** Without the event stream everything has to be asked for. */
const LIST_EVERY_MS = 4000;
/** A route was selected: at the earliest so long after the last look the new call is looked for. */
const SOONEST_MS = 400;
/** Calls that finish in so short a time are shown in one step. */
const TOGETHER_MS = 250;

/** What is known of the tracker's calls. */
export interface Feed {
  /** null until the first list came. */
  readonly wall: Wall | null;
  /** Unix ms of the newest good answer. */
  readonly at: number | null;
  readonly fault: PollFault | null;
}

const state = signal<Feed>({ wall: null, at: null, fault: null });
export const calls: ReadonlySignal<Feed> = state;

/** Keeps the wall: the list once, then what the event stream tells, and a look at the open calls each second. */
class CallsFeed {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastLookAt = 0;
  private isLooking = false;
  private needsList = true;
  /** Finished calls that are not on the wall yet. */
  private heard: CallRecord[] = [];
  private heardTimer: ReturnType<typeof setTimeout> | undefined;
  /** Finished calls that a list on its way may not have. */
  private sinceAsked: CallRecord[] = [];
  /** Open calls that were gone at the last look. */
  private missing: string[] = [];
  private readonly over = new AbortController();
  private readonly unwatch: () => void;

  constructor() {
    this.unwatch = watchEvents({
      opened: () => {
        this.needsList = true;
        this.lookSoon(0);
      },
      told: (type, fact) => this.told(type, fact),
    });
    // The stream's opening asks for the list; one that doesn't open must not keep it away.
    this.timer = setTimeout(() => void this.look(), SOONEST_MS);
  }

  end(): void {
    this.over.abort();
    this.unwatch();
    clearTimeout(this.timer);
    clearTimeout(this.heardTimer);
  }

  private told(type: EventType, fact: unknown): void {
    if (type === 'call.finished') {
      this.heard.push((fact as { call: CallRecord }).call);
      this.heardTimer ??= setTimeout(() => this.showHeard(), TOGETHER_MS);
    } else if (type === 'route.selected') {
      this.lookSoon(SOONEST_MS);
    }
  }

  private showHeard(): void {
    this.heardTimer = undefined;
    const heard = this.heard.splice(0);
    if (this.isLooking) this.sinceAsked.push(...heard);
    const { wall } = state.peek();
    if (wall !== null) state.value = { ...state.peek(), wall: withFinished(wall, heard) };
  }

  private lookSoon(afterLastMs: number): void {
    if (this.isLooking) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => void this.look(),
      Math.max(0, this.lastLookAt + afterLastMs - performance.now()),
    );
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    this.sinceAsked = [];
    const wantsList = this.needsList || streamState.peek() !== 'live';
    this.needsList = false;
    try {
      const { data } = await ask<ListOf<CallRecord>>(wantsList ? LIST : OPEN, { signal: this.over.signal });
      if (this.over.signal.aborted) return;
      this.took(data, wantsList);
    } catch (fault) {
      if (this.over.signal.aborted) return;
      this.needsList = true;
      state.value = { ...state.peek(), fault: faultOf(fault) };
    }
    this.isLooking = false;
    this.lastLookAt = performance.now();
    this.timer = setTimeout(() => void this.look(), this.pauseMs());
  }

  private took(found: readonly CallRecord[], isList: boolean): void {
    const finished = [...this.sinceAsked, ...this.heard];
    const before = withFinished(state.peek().wall ?? [], finished);
    // The stream had a whole look's time to tell how these ended.
    if (!isList && lacksAny(before, this.missing)) this.needsList = true;
    this.missing = isList ? [] : vanished(before, found);
    const wall = isList ? withList(found, finished) : withOpen(before, found);
    const wasLost = state.peek().fault !== null;
    state.value = { wall, at: Date.now(), fault: null };
    if (wasLost) retryEvents();
  }

  private pauseMs(): number {
    if (this.needsList && state.peek().fault === null) return SOONEST_MS;
    if (streamState.peek() !== 'live') return LIST_EVERY_MS;
    return state.peek().wall?.some(isOpen) === true ? OPEN_EVERY_MS : IDLE_EVERY_MS;
  }
}

effect(() => {
  if (place.value.tab !== 'calls' || !mayAsk.value) return;
  const feed = new CallsFeed();
  return () => feed.end();
});
