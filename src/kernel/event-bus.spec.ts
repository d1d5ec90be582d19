import { describe, expect, it } from '@jest/globals';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { EventBus, type MeshEvents } from './index.js';

function forgotten(model: string): MeshEvents['model.forgotten'] {
  return { model, at: 0 };
}

function bumped(epoch: number): MeshEvents['epoch.bumped'] {
  return { model: 'm', epoch, node_id: 'w:all', cause: 'registered', at: 0 };
}

describe('EventBus', () => {
  it('has told every observer when publish returns', () => {
    const bus = new EventBus(new SilentLogger());
    const seen: string[] = [];
    bus.on('model.forgotten', ({ model }) => seen.push(`first ${model}`));
    bus.on('model.forgotten', ({ model }) => seen.push(`second ${model}`));
    bus.publish('model.forgotten', forgotten('m'));
    expect(seen).toEqual(['first m', 'second m']);
  });

  it('tells an observer of its own type only', () => {
    const bus = new EventBus(new SilentLogger());
    const epochs: number[] = [];
    bus.ofType('epoch.bumped').subscribe(({ epoch }) => epochs.push(epoch));
    bus.publish('model.forgotten', forgotten('m'));
    bus.publish('epoch.bumped', bumped(7));
    expect(epochs).toEqual([7]);
  });

  it('shows all observers one order, effects after causes, whoever published in between', () => {
    const bus = new EventBus(new SilentLogger());
    const early: string[] = [];
    const late: string[] = [];
    bus.all().subscribe(({ type }) => early.push(type));
    bus.on('model.forgotten', ({ model }) => {
      if (model === 'outer') {
        bus.publish('epoch.bumped', bumped(1));
        bus.publish('model.forgotten', forgotten('inner'));
      }
    });
    bus.all().subscribe(({ type }) => late.push(type));
    bus.publish('model.forgotten', forgotten('outer'));
    expect(early).toEqual(['model.forgotten', 'epoch.bumped', 'model.forgotten']);
    expect(late).toEqual(early);
  });

  it('logs an observer that throws, keeps it, and tells the others all the same', () => {
    const logger = new SilentLogger();
    const bus = new EventBus(logger);
    const seen: string[] = [];
    bus.on('model.forgotten', ({ model }) => {
      seen.push(`thrower ${model}`);
      throw new Error('boom');
    });
    bus.on('model.forgotten', ({ model }) => seen.push(`other ${model}`));
    bus.publish('model.forgotten', forgotten('a'));
    bus.publish('model.forgotten', forgotten('b'));
    expect(seen).toEqual(['thrower a', 'other a', 'thrower b', 'other b']);
    expect(logger.of('bus.observer_failed')).toHaveLength(2);
  });

  it('tells nobody anything once it is closed', () => {
    const bus = new EventBus(new SilentLogger());
    const seen: string[] = [];
    let completed = false;
    bus.on('model.forgotten', ({ model }) => seen.push(model));
    bus.all().subscribe({ complete: () => (completed = true) });
    bus.close();
    bus.publish('model.forgotten', forgotten('m'));
    expect({ seen, completed }).toEqual({ seen: [], completed: true });
  });

  it('tells observers of a type in the order in which they came, whichever way, and none that left', () => {
    const bus = new EventBus(new SilentLogger());
    const seen: string[] = [];
    const leaving = bus.ofType('model.forgotten').subscribe(() => {
      seen.push('leaving');
      leaving.unsubscribe();
    });
    bus.on('model.forgotten', () => seen.push('handler'));
    bus.ofType('model.forgotten').subscribe(() => seen.push('observer'));
    bus.publish('model.forgotten', forgotten('a'));
    bus.publish('model.forgotten', forgotten('b'));
    expect(seen).toEqual(['leaving', 'handler', 'observer', 'handler', 'observer']);
  });

  it('knows whether anybody would be told', () => {
    const bus = new EventBus(new SilentLogger());
    expect(bus.isHeard('model.forgotten')).toBe(false);
    const all = bus.all().subscribe();
    expect(bus.isHeard('model.forgotten')).toBe(true);
    all.unsubscribe();
    const one = bus.ofType('model.forgotten').subscribe();
    expect([bus.isHeard('model.forgotten'), bus.isHeard('epoch.bumped')]).toEqual([true, false]);
    one.unsubscribe();
    bus.on('epoch.bumped', () => undefined);
    expect([bus.isHeard('model.forgotten'), bus.isHeard('epoch.bumped')]).toEqual([false, true]);
    bus.close();
    expect(bus.isHeard('epoch.bumped')).toBe(false);
  });

  it('tells nobody any more once an observer has closed it, and completes who comes later', () => {
    const bus = new EventBus(new SilentLogger());
    const seen: string[] = [];
    bus.on('model.forgotten', () => {
      seen.push('closer');
      bus.publish('epoch.bumped', bumped(1));
      bus.close();
    });
    bus.on('model.forgotten', () => seen.push('late'));
    bus.on('epoch.bumped', () => seen.push('later'));
    bus.publish('model.forgotten', forgotten('m'));
    bus.ofType('epoch.bumped').subscribe({ complete: () => seen.push('completed') });
    bus.on('epoch.bumped', () => seen.push('after'));
    bus.publish('epoch.bumped', bumped(2));
    expect(seen).toEqual(['closer', 'completed']);
  });
});
