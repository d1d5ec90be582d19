import { SystemClock } from '../kernel/clock.js';
import { seededRng } from '../kernel/rng.js';
import { Demo } from './demo.js';
import { DEMO_USAGE, readDemoFlags } from './demo-flags.js';
import { startEmbeddedTracker } from './embedded-tracker.js';
import { EXIT_BAD_FLAGS } from './flags.js';
import { Screen } from './screen.js';

const flags = readDemoFlags(process.argv.slice(2));
switch (flags.kind) {
  case 'help':
    console.log(DEMO_USAGE);
    break;
  case 'faults':
    for (const fault of flags.faults) console.error(fault);
    console.error(DEMO_USAGE);
    process.exitCode = EXIT_BAD_FLAGS;
    break;
  case 'run':
    await run(flags.port, flags.traffic);
}

/** Runs until Ctrl-C or SIGTERM; a second one ends this process on the spot, and the nodes notice that. */
async function run(port: number, traffic: boolean): Promise<void> {
  const clock = new SystemClock();
  const screen = new Screen(process.stdout, clock);
  const demo = new Demo({ startTracker: startEmbeddedTracker, clock, rng: seededRng(null), screen });
  const ending = new AbortController();
  const end = (exitCode: number) => {
    if (ending.signal.aborted) process.exit(1);
    ending.abort();
    void demo.end().finally(() => process.exit(exitCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  try {
    await demo.start(port, traffic);
  } catch (fault) {
    if (ending.signal.aborted) return;
    console.error(`The demo can't start: ${fault instanceof Error ? fault.message : String(fault)}`);
    end(1);
  }
}
