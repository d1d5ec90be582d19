import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { Afterwork } from './index.js';

let logger: SilentLogger;
let afterwork: Afterwork;
let done: number[];
beforeEach(() => {
  logger = new SilentLogger();
  afterwork = new Afterwork(logger);
  done = [];
});

describe('what is put off', () => {
  it('is done at the end of the turn, in its order, once', async () => {
    for (const n of [1, 2, 3]) afterwork.putOff(() => done.push(n));
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual([1, 2, 3]);
    afterwork.putOff(() => done.push(4));
    await turn();
    await turn();
    expect(done).toEqual([1, 2, 3, 4]);
  });

  it('is done at once for whoever wants to read, with what it puts off itself', async () => {
    afterwork.putOff(() => {
      done.push(1);
      afterwork.putOff(() => done.push(2));
      // Somebody who is told of the first reads already.
      afterwork.settle();
    });
    afterwork.settle();
    expect(done).toEqual([1, 2]);
    await turn();
    expect(done).toEqual([1, 2]);
  });

  it('is logged where it throws, and keeps nothing else from being done', () => {
    afterwork.putOff(() => {
      throw new Error('no');
    });
    afterwork.putOff(() => done.push(2));
    afterwork.settle();
    expect(done).toEqual([2]);
    expect(logger.of('afterwork.failed')).toHaveLength(1);
  });

  it('harms nobody where the log fails too', () => {
    logger.error = () => {
      throw new Error('no log');
    };
    afterwork.putOff(() => {
      throw new Error('no');
    });
    afterwork.putOff(() => done.push(2));
    expect(() => afterwork.settle()).not.toThrow();
    expect(done).toEqual([2]);
  });
});
