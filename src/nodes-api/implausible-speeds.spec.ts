import { describe, expect, it } from '@jest/globals';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { EventBus } from '../kernel/index.js';
import { ImplausibleSpeeds } from './implausible-speeds.js';
import { SpeedSuspicionsService } from './speed-suspicions.service.js';

function speedsOf(routes: Readonly<Record<string, number>>): string[] {
  const speeds = new ImplausibleSpeeds();
  for (const [signature, tps] of Object.entries(routes)) speeds.record(signature, tps);
  return [...speeds.nodeIds()];
}

describe('nodes that are too fast to be true', () => {
  it('are those of routes over 20 times the median', () => {
    const calm = { 'm|a:all[0-3]': 10, 'm|b:all[0-3]': 12 };
    expect(speedsOf({ ...calm, 'm|x.gpu:0-1[0-1]->y.cpu:2-3[2-3]': 241 })).toEqual([
      'x.gpu:0-1',
      'y.cpu:2-3',
    ]);
    expect(speedsOf({ ...calm, 'm|x:all[0-3]': 240 })).toEqual([]);
  });

  it('are not told by fewer than three routes', () => {
    expect(speedsOf({ 'm|a:all[0-3]': 1, 'm|b:all[0-3]': 1e6 })).toEqual([]);
  });

  it('are found whatever the model is called', () => {
    const model = 'a|b->c[0-1]';
    const routes = Object.fromEntries(
      ['p', 'q', 'x'].map((id, at) => [`${model}|${id}:all[0-3]`, at === 2 ? 1000 : 1]),
    );
    expect(speedsOf(routes)).toEqual(['x:all']);
  });

  it('keep no more routes than the newest', () => {
    const speeds = new ImplausibleSpeeds();
    speeds.record('m|x:all[0-3]', 1e6);
    for (let n = 0; n < 1024; n += 1) speeds.record(`m|n${String(n)}:all[0-3]`, 1);
    expect([...speeds.nodeIds()]).toEqual([]);
  });

  it('are logged once, and forgotten with their model', () => {
    const logger = new SilentLogger();
    const bus = new EventBus(logger);
    const suspicions = new SpeedSuspicionsService(bus, logger);
    const sample = (id: string, tps: number): void =>
      bus.publish('sample.recorded', {
        ...{ model: 'm', signature: `m|${id}:all[0-3]`, tps, weight: 1, learned_tps: tps, at: 0 },
      });
    for (let n = 0; n < 64; n += 1) sample(['a', 'b', 'x'][n % 3] ?? '', n % 3 === 2 ? 5000 : 10);
    suspicions.refresh();
    expect(suspicions.isSuspect('m', 'x:all')).toBe(true);
    expect(suspicions.isSuspect('m', 'a:all')).toBe(false);
    expect(suspicions.isSuspect('other', 'x:all')).toBe(false);
    expect(logger.of('node.speed_implausible')).toEqual([
      { level: 'warn', event: 'node.speed_implausible', fields: { model: 'm', node_id: 'x:all' } },
    ]);
    bus.publish('model.forgotten', { model: 'm', at: 0 });
    expect(suspicions.isSuspect('m', 'x:all')).toBe(false);
  });
});
