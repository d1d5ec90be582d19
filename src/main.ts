import { helpText, packageVersion, processInput, readSettings, type Settings } from './settings/index.js';

/** sysexits(3): the configuration can't be used. */
const EX_CONFIG = 78;

const input = processInput();
const reading = readSettings(input);
switch (reading.kind) {
  case 'help':
    console.log(helpText());
    break;
  case 'version':
    console.log(packageVersion());
    break;
  case 'faults':
    stopFor(reading.faults);
    break;
  case 'run':
    for (const name of reading.unknownVariables) console.error(`${name}: has no effect, see --help`);
    await run(reading.settings);
}

async function run(settings: Settings): Promise<void> {
  // Loaded late: --help and a fault must not wait for the whole service.
  const { startTracker } = await import('./bootstrap.js');
  const { AccessFault } = await import('./access/index.js');
  const { NodesFileFault } = await import('./registry/index.js');
  try {
    const tracker = await startTracker(settings, {}, (name) => input.env[name]);
    console.error(`meshnet tracker on ${tracker.url} (chats: ${tracker.url}/v1/chat/completions)`);
    process.on('SIGHUP', () => void tracker.reload());
    let isStopping = false;
    const end = (): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      void tracker.stop().then(() => process.exit(0));
    };
    // Before the log's own, which writes what it has.
    process.prependListener('exit', () => tracker.writeDown());
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    await tracker.ready;
  } catch (fault) {
    if (fault instanceof AccessFault) stopFor(fault.faults);
    else if (fault instanceof NodesFileFault) {
      stopFor(fault.faults.map((line) => `MESHNET_NODES_FILE: ${line}`));
    } else if (
      fault instanceof Error &&
      'code' in fault &&
      'syscall' in fault &&
      (fault.syscall === 'listen' || fault.syscall === 'getaddrinfo')
    ) {
      console.error(cannotListen(settings.serving, String(fault.code)));
      process.exitCode = 1;
    } else {
      throw fault;
    }
  }
}

function cannotListen({ host, port }: Settings['serving'], code: string): string {
  return code === 'EADDRINUSE'
    ? `port ${String(port)} is in use; choose another with --port`
    : `cannot listen on ${host}:${String(port)}: ${code}`;
}

function stopFor(faults: readonly string[]): void {
  for (const fault of faults) console.error(fault);
  process.exitCode = EX_CONFIG;
}
