import { describe, expect, it } from '@jest/globals';
import { readDemoFlags } from './demo-flags.js';

describe('the flags of the demo', () => {
  it('have defaults', () => {
    expect(readDemoFlags([])).toEqual({ kind: 'run', port: 8080, traffic: true });
    expect(readDemoFlags(['--port', '9000', '--no-traffic'])).toEqual({
      kind: 'run',
      port: 9000,
      traffic: false,
    });
    expect(readDemoFlags(['--help'])).toEqual({ kind: 'help' });
  });

  it('that are not known are said, with all other faults', () => {
    expect(readDemoFlags(['--trafic', '--port', 'http'])).toEqual({
      kind: 'faults',
      faults: ['there is no flag --trafic', '--port must be a whole number from 0 to 65535'],
    });
  });
});
