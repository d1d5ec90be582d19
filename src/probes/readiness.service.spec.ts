import { describe, expect, it } from '@jest/globals';
import { ReadinessService } from './readiness.service.js';

describe('readiness', () => {
  it('goes from starting to ready to draining', () => {
    const readiness = new ReadinessService();
    expect(readiness.state).toBe('starting');
    readiness.started();
    expect(readiness.state).toBe('ready');
    readiness.draining();
    expect(readiness.state).toBe('draining');
  });

  it('never comes back from draining, should the first look at nodes end only then', () => {
    const readiness = new ReadinessService();
    readiness.draining();
    readiness.started();
    expect(readiness.state).toBe('draining');
  });
});
