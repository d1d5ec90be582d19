import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../kernel/clock.js';
import type { DemoNode } from './demo-nodes.js';

const PROGRAM = fileURLToPath(new URL('./reference-node.main.js', import.meta.url));
const END_WAIT_MS = 4_000;
const COMPLAINT_MAX = 500;

/**
 * The nodes as processes of their own. They stand apart from the terminal's signals, so that only `end` ends
 * them; if this process dies without a word, they notice that its channel closed and leave by themselves.
 */
export class ChildMesh {
  private readonly children: ChildProcess[] = [];
  private ending = false;

  /** @param died is told of each node that ends unasked */
  constructor(
    private readonly clock: Clock,
    private readonly died: (line: string) => void,
  ) {}

  start(nodes: readonly DemoNode[], tracker: string): void {
    for (const node of nodes) this.children.push(this.spawn(node, tracker));
  }

  /** Asks each node to leave, and ends those that don't within some seconds. */
  async end(): Promise<void> {
    this.ending = true;
    await Promise.all(this.children.filter(isRunning).map((child) => this.endOne(child)));
  }

  private spawn(node: DemoNode, tracker: string): ChildProcess {
    const child = fork(PROGRAM, [...node.flags, '--tracker', tracker], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let complaint = '';
    child.stderr?.on(
      'data',
      (text: Buffer) => (complaint = (complaint + text.toString()).slice(-COMPLAINT_MAX)),
    );
    child.once('error', (fault) => this.tell(node, `can't be run: ${fault.message}`));
    child.once('exit', (code, signal) =>
      this.tell(node, `died (${signal ?? `exit code ${String(code)}`}) ${complaint}`),
    );
    return child;
  }

  private tell(node: DemoNode, what: string): void {
    if (!this.ending) this.died(`node ${node.label}: ${what}`.trimEnd());
  }

  private async endOne(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit');
    const cancel = this.clock.after(END_WAIT_MS, () => child.kill('SIGKILL'));
    child.kill('SIGTERM');
    await exited;
    cancel();
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
