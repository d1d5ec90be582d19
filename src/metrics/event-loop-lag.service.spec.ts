import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { eventually } from '../../test/support/eventually.js';
import { Exposition } from '../../test/support/exposition.js';
import { EventLoopLag } from './event-loop-lag.service.js';

const NAME = 'meshnet_event_loop_lag_seconds';

async function scrape(lag: EventLoopLag): Promise<Exposition> {
  const registry = new Registry();
  lag.show(registry);
  return new Exposition(await registry.metrics());
}

describe('the event loop lag', () => {
  it('has no quantiles before anything was measured', async () => {
    const lag = new EventLoopLag();
    const shown = await scrape(lag);
    lag.onModuleDestroy();
    expect(shown.of(NAME)).toEqual([]);
    expect([shown.value(`${NAME}_sum`), shown.value(`${NAME}_count`)]).toEqual([0, 0]);
  });

  it('counts on over all scrapes, with quantiles that are finite, in order and not below 0', async () => {
    const lag = new EventLoopLag();
    let count = 0;
    for (let scrapes = 0; scrapes < 2; scrapes += 1) {
      const before = count;
      const shown = await eventually(async () => {
        const measured = await scrape(lag);
        expect(measured.of(NAME)).toHaveLength(4);
        return measured;
      });
      count = shown.value(`${NAME}_count`) ?? 0;
      expect(count).toBeGreaterThan(before);
      const values = shown.of(NAME).map(({ value }) => value);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      expect(values.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
    }
    lag.onModuleDestroy();
  });

  it('is measured no more once its app is gone', async () => {
    const gone = new EventLoopLag();
    const other = new EventLoopLag();
    gone.onModuleDestroy();
    await eventually(async () => {
      expect((await scrape(other)).value(`${NAME}_count`)).toBeGreaterThan(2);
    });
    other.onModuleDestroy();
    expect((await scrape(gone)).value(`${NAME}_count`)).toBe(0);
  });
});
