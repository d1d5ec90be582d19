import { EXIT_BAD_FLAGS } from './flags.js';
import { NODE_USAGE, readNodeFlags } from './node-flags.js';
import type { ReferenceNodeOptions } from './node-options.js';
import { ReferenceNode } from './reference-node.js';

const flags = readNodeFlags(process.argv.slice(2));
switch (flags.kind) {
  case 'help':
    console.log(NODE_USAGE);
    break;
  case 'faults':
    for (const fault of flags.faults) console.error(fault);
    process.exitCode = EXIT_BAD_FLAGS;
    break;
  case 'options':
    await serve(flags.options);
}

/** Serves until SIGTERM, SIGINT or the end of the process that started it; a second signal ends it on the spot. */
async function serve(options: ReferenceNodeOptions): Promise<void> {
  const node = made(options);
  if (node === null) return;
  let ending = false;
  const end = () => {
    if (ending) process.exit(1);
    ending = true;
    void node.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  process.on('disconnect', () => {
    if (!ending) end();
  });
  try {
    console.log(`listening on ${await node.start()}`);
  } catch (fault) {
    console.error(`cannot listen: ${fault instanceof Error ? fault.message : String(fault)}`);
    process.exitCode = 1;
  }
}

/** null, with a word of why, where its key or token can't be used. */
function made(options: ReferenceNodeOptions): ReferenceNode | null {
  try {
    return new ReferenceNode({ ...options, log: (line) => console.log(line) });
  } catch (fault) {
    console.error(
      `--key must be a file with an Ed25519 key (PEM, PKCS#8), or one that can be made, and --token-file one that can be read: ${codeOf(fault)}`,
    );
    process.exitCode = EXIT_BAD_FLAGS;
    return null;
  }
}

/** Libraries of keys may repeat what they read. */
function codeOf(fault: unknown): string {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : 'it is none';
}
