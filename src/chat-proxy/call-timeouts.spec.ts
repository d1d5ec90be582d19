import { describe, expect, it } from '@jest/globals';
import { aNode } from '../../test/support/builders.js';
import { CallSettings } from '../settings/index.js';
import { limitsOf, timeoutFault } from './call-timeouts.js';

const PLAIN = aNode({ wallet: 'w' });
const PATIENT = aNode({ wallet: 'p', firstByteTimeoutSeconds: 1.5 });

describe('the limits of an attempt', () => {
  it('come from the settings, the total counted from the start of the call', () => {
    expect(limitsOf(new CallSettings(), PLAIN, 5_000)).toEqual({
      ...{ firstByteMs: 600_000, idleMs: 300_000, totalAt: 7_205_000, silentMs: Infinity },
    });
    expect(limitsOf(new CallSettings(), PLAIN, 5_000, 1_250).silentMs).toBe(1_250);
  });

  it("are the node's own for the first byte, where the nodes file says so", () => {
    expect(limitsOf(new CallSettings(), PATIENT, 0).firstByteMs).toBe(1_500);
  });
});

describe('a timeout', () => {
  it.each(['connect', 'first_byte', 'idle', 'total'] as const)('says what sets it: %s', (kind) => {
    const { message, code } = timeoutFault(kind, 1_250, PLAIN, 321);
    expect(code).toBe('node_timeout');
    for (const part of ['w:all', '1.3 s', '321 bytes', `MESHNET_${kind.toUpperCase()}_TIMEOUT_SECONDS`]) {
      expect(message).toContain(part);
    }
  });

  it('names the nodes file where that sets it, for the first byte alone', () => {
    expect(timeoutFault('first_byte', 1, PATIENT, 1).message).toContain(
      'first_byte_timeout_seconds in the nodes file',
    );
    expect(timeoutFault('idle', 1, PATIENT, 1).message).toContain('MESHNET_IDLE_TIMEOUT_SECONDS');
  });
});
