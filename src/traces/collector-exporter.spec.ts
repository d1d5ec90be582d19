import { Agent } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { CollectorExporter } from './collector-exporter.js';

const THREE = [{}, {}, {}] as ReadableSpan[];
const fault = (more: object = {}): Error => Object.assign(new Error('CANARY'), more);

let clock: ManualClock;
let logger: SilentLogger;
let failure: Error | null;
let exporter: CollectorExporter;
beforeEach(() => {
  clock = new ManualClock();
  logger = new SilentLogger();
  const inner: SpanExporter = {
    export: (_, done) => {
      const result: object = failure === null ? { code: 0 } : { code: 1, error: failure };
      done(result as Parameters<typeof done>[0]);
    },
    shutdown: () => Promise.resolve(),
  };
  exporter = new CollectorExporter(inner, new Agent(), clock, logger);
});

function send(): void {
  exporter.export(THREE, ({ error }) => expect(error ?? null).toBe(failure));
}

function warned(): object[] {
  return logger.of('traces.not_taken').map(({ fields }) => fields);
}

describe('a collector that takes nothing', () => {
  it('is told of at once, and then once a minute with all that was lost meanwhile', () => {
    failure = fault({ code: 'ECONNREFUSED' });
    send();
    expect(warned()).toEqual([{ lost_spans: 3, reason: 'ECONNREFUSED' }]);
    clock.advance(59_999);
    send();
    send();
    expect(warned()).toHaveLength(1);
    clock.advance(1);
    send();
    expect(warned()).toEqual([expect.anything(), { lost_spans: 9, reason: 'ECONNREFUSED' }]);
  });

  it.each([
    [{ code: 401 }, '401'],
    [{}, 'no answer in time'],
    [{ code: {} }, 'no answer in time'],
  ])('is told of without its own words: %j', (more, reason) => {
    failure = fault(more);
    send();
    expect(warned()).toEqual([{ lost_spans: 3, reason }]);
    expect(JSON.stringify(logger.lines)).not.toContain('CANARY');
  });

  it('is told of at the end with all that nobody told of before, dropped by a full queue', () => {
    failure = fault({ code: 503 });
    for (let span = 0; span < 100; span += 1) exporter.spanEnded();
    send();
    send();
    exporter.close();
    exporter.close();
    expect(warned()).toEqual([
      { lost_spans: 3, reason: '503' },
      { lost_spans: 97, reason: 'stopped' },
    ]);
  });

  it('is not told of when it takes everything', () => {
    failure = null;
    for (let span = 0; span < 3; span += 1) exporter.spanEnded();
    send();
    exporter.close();
    expect(logger.lines).toEqual([]);
  });
});
