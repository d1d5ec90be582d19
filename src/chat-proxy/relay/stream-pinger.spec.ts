import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeResponse } from '../../../test/support/fake-response.js';
import { Deadlines } from '../../kernel/index.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { HeaderMap } from '../request/headers.js';
import { ClientAnswer } from './client-answer.js';
import { StreamPinger } from './stream-pinger.js';

const PERIOD_MS = 15_000;
const PING = ': ping\n';

let clock: ManualClock;
let response: FakeResponse;
let client: ClientAnswer;
let headers: HeaderMap;
let pinger: StreamPinger;
beforeEach(() => {
  clock = new ManualClock();
  response = new FakeResponse();
  client = new ClientAnswer(response, clock);
  headers = { 'x-meshnet-attempts': '1' };
  pinger = new StreamPinger(client, new Deadlines(clock), PERIOD_MS, () => headers);
});

function write(text: string): void {
  client.write([Buffer.from(text)]);
}

describe('a silent stream', () => {
  it('is begun after a period, with the headers as they are by then', () => {
    pinger.start();
    clock.advance(PERIOD_MS - 1);
    expect([response.status, response.text]).toEqual([null, '']);
    headers = { 'x-meshnet-attempts': '2' };
    clock.advance(1);
    expect([response.status, response.text]).toEqual([200, PING]);
    expect(response.headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-meshnet-attempts': '2',
    });
  });

  it('gets one comment a period', () => {
    pinger.start();
    clock.advance(4 * PERIOD_MS);
    expect(response.text).toBe(PING.repeat(4));
  });

  it('has its period counted from the last byte', () => {
    pinger.start();
    clock.advance(10_000);
    write('data: x\n\n');
    clock.advance(PERIOD_MS - 1);
    expect(response.text).toBe('data: x\n\n');
    clock.advance(1);
    expect(response.text).toBe(`data: x\n\n${PING}`);
  });

  it('has it counted on when another head is asked, and by one timer only', () => {
    pinger.start();
    clock.advance(10_000);
    pinger.start();
    expect(clock.liveTimers).toBe(1);
    clock.advance(5_000);
    expect(response.text).toBe(PING);
  });

  it('gets none within an event', () => {
    pinger.start();
    write('data: half');
    client.midEvent(true);
    clock.advance(5 * PERIOD_MS);
    expect(response.text).toBe('data: half');
    client.midEvent(false);
    clock.advance(PERIOD_MS);
    expect(response.text).toBe(`data: half${PING}`);
  });

  it('gets none while its client is behind with reading', () => {
    pinger.start();
    response.flows = false;
    write('data: x\n\n');
    clock.advance(3 * PERIOD_MS);
    expect(response.text).toBe('data: x\n\n');
    response.drains();
    clock.advance(PERIOD_MS);
    expect(response.text).toBe(`data: x\n\n${PING}`);
  });

  it('gets none when its client has left', () => {
    pinger.start();
    response.leaves();
    clock.advance(2 * PERIOD_MS);
    expect([response.status, response.text]).toEqual([null, '']);
  });
});

describe('a pinger', () => {
  it('that was stopped leaves no timer, and may be stopped again', () => {
    pinger.start();
    pinger.stop();
    pinger.stop();
    expect(clock.liveTimers).toBe(0);
    clock.advance(2 * PERIOD_MS);
    expect(response.text).toBe('');
  });

  it('of a period of 0 does nothing', () => {
    const off = new StreamPinger(client, new Deadlines(clock), 0, () => headers);
    off.start();
    expect(clock.liveTimers).toBe(0);
    off.stop();
  });

  it('begins nothing while no head is asked, and counts anew from the next that is', () => {
    pinger.start();
    clock.advance(10_000);
    pinger.pause();
    clock.advance(10 * PERIOD_MS);
    expect(response.status).toBeNull();
    pinger.start();
    clock.advance(PERIOD_MS - 1);
    expect(response.status).toBeNull();
    clock.advance(1);
    expect(response.text).toBe(PING);
  });

  it('keeps alive what has begun, whether or not a head is asked', () => {
    pinger.start();
    clock.advance(PERIOD_MS);
    pinger.pause();
    clock.advance(PERIOD_MS);
    expect(response.text).toBe(PING.repeat(2));
  });

  it('that throws ends its own call, and nothing else', () => {
    const fault = new Error('no headers');
    const faults: unknown[] = [];
    client.watch({
      onLeft: () => undefined,
      onDrain: () => undefined,
      onFault: (thrown) => faults.push(thrown),
    });
    const broken = new StreamPinger(client, new Deadlines(clock), PERIOD_MS, () => {
      throw fault;
    });
    broken.start();
    clock.advance(PERIOD_MS);
    expect(faults).toEqual([fault]);
    expect(response.isDestroyed).toBe(false);
  });
});
