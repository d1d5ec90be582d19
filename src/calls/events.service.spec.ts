import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { EventBus, OverloadedError, ShuttingDownError } from '../kernel/index.js';
import { EventsService } from './events.service.js';

/** The answer to a watcher, as far as the service sees it. */
class FakeWatcher extends EventEmitter {
  text = '';
  status = 0;
  writableLength = 0;
  destroyed = false;
  ended = false;

  constructor(readonly req = { socket: Object.assign(new EventEmitter(), { destroyed: false }) }) {
    super();
  }

  writeHead(status: number): void {
    this.status = status;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  end(): void {
    this.ended = true;
    this.emit('close');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}

let clock: ManualClock;
let bus: EventBus;
let events: EventsService;
beforeEach(() => {
  clock = new ManualClock();
  bus = new EventBus(new SilentLogger());
  events = new EventsService(bus, clock);
});

function watcher(): FakeWatcher {
  const watching = new FakeWatcher();
  events.watch(watching.asResponse);
  return watching;
}

function bump(epoch: number): void {
  bus.publish('epoch.bumped', { model: 'm', epoch, node_id: 'w:all', cause: 'registered', at: 0 });
}

describe('the event stream', () => {
  it('tells each watcher each event, numbered, from when it began to watch', () => {
    const early = watcher();
    bump(1);
    const late = watcher();
    bump(2);
    const told = (id: number, epoch: number): string =>
      `id: ${String(id)}\nevent: epoch.bumped\ndata: {"model":"m","epoch":${String(epoch)},"node_id":"w:all","cause":"registered","at":0}\n\n`;
    expect(early.status).toBe(200);
    expect(early.text).toBe(`: watching\n\n${told(1, 1)}${told(2, 2)}`);
    expect(late.text).toBe(`: watching\n\n${told(2, 2)}`);
  });

  it('keeps to itself what is no business of watchers', () => {
    const watching = watcher();
    bus.publish('model.forgotten', { model: 'm', at: 0 });
    expect(watching.text).toBe(': watching\n\n');
  });

  it('lets go of a watcher that has a mebibyte unread, and of no other', () => {
    const [slow, quick] = [watcher(), watcher()];
    slow.writableLength = 1024 * 1024 + 1;
    quick.writableLength = 1024 * 1024;
    bump(1);
    expect([slow.destroyed, quick.destroyed, events.watcherCount]).toEqual([true, false, 1]);
    expect(slow.text).not.toContain('epoch.bumped');
    expect(quick.text).toContain('epoch.bumped');
  });

  it('lets go of a watcher whose connection dies, even if its answer is not told', () => {
    const watching = watcher();
    watching.req.socket.emit('close');
    expect(events.watcherCount).toBe(0);
  });

  it('is closed to newcomers once the service goes down', () => {
    const watching = watcher();
    events.endAll();
    expect(watching.ended).toBe(true);
    expect(() => watcher()).toThrow(ShuttingDownError);
    expect(events.watcherCount).toBe(0);
  });

  it('says that it is still here every 15 s, as long as anybody watches', () => {
    const watching = watcher();
    watcher().destroy();
    clock.advance(14_999);
    expect(watching.text).toBe(': watching\n\n');
    clock.advance(30_001);
    expect(watching.text.match(/^: still here$/gm)).toHaveLength(3);
    watching.destroy();
    clock.advance(15_000);
    expect([clock.liveTimers, watching.text.match(/still here/g)?.length]).toEqual([0, 3]);
    const next = watcher();
    clock.advance(15_000);
    expect(next.text).toContain('still here');
  });

  it('keeps no place for who has left before it began', () => {
    const gone = new FakeWatcher();
    gone.destroy();
    events.watch(gone.asResponse);
    expect(gone.status).toBe(0);
    expect([events.watcherCount, clock.liveTimers]).toEqual([0, 0]);
  });

  it('gives one connection one stream, and another one the next', () => {
    const first = watcher();
    const behind = new FakeWatcher(first.req);
    expect(() => events.watch(behind.asResponse)).toThrow(OverloadedError);
    expect([behind.status, events.watcherCount]).toEqual([0, 1]);
    watcher();
    expect(events.watcherCount).toBe(2);
  });

  it('has room for 256 watchers, and again for one when one leaves', () => {
    const all = Array.from({ length: 256 }, watcher);
    expect(watcher).toThrow(OverloadedError);
    all[0]?.destroy();
    expect(watcher().status).toBe(200);
  });

  it('ends for everybody when the service goes down, and leaves no timer', () => {
    const all = [watcher(), watcher()];
    events.beforeApplicationShutdown();
    expect(all.map(({ ended }) => ended)).toEqual([true, true]);
    expect(events.watcherCount).toBe(0);
    events.onModuleDestroy();
    expect(clock.liveTimers).toBe(0);
  });
});
