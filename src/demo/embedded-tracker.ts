import { startTracker } from '../bootstrap.js';
import { readSettings } from '../settings/index.js';

export interface EmbeddedTracker {
  readonly url: string;
  stop(): Promise<void>;
}

/** The real tracker in this process, on loopback and with the defaults, its log down to warnings. */
export async function startEmbeddedTracker(port: number): Promise<EmbeddedTracker> {
  const reading = readSettings({
    argv: ['--host', '127.0.0.1', '--port', String(port)],
    env: { MESHNET_LOG_LEVEL: 'warn' },
  });
  if (reading.kind !== 'run') throw new Error('the settings of the demo are not understood');
  return startTracker(reading.settings);
}
