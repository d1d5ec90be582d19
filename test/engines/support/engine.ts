import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import type { EnginesVenv } from './python.js';

export interface EngineOptions {
  /** The id of the model in `/v1/models`. */
  readonly alias: string;
  /** Tokens of context, over all slots. */
  readonly ctx?: number;
  /** Chats at once; llama-cpp-python has one. */
  readonly slots?: number;
  /** 0 takes a free one. */
  readonly port?: number;
}

type Wanted = Required<EngineOptions>;

export type EngineKind = 'xllamacpp' | 'llama-cpp-python';

const XLLAMACPP = resolve('test/engines/python/xllamacpp_server.py');
const DEFAULTS = { ctx: 2048, slots: 1, port: 0 };
const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 5_000;
const LONGEST_LOG = 4_000;

const ARGUMENTS: Readonly<Record<EngineKind, (wanted: Wanted, weights: string) => string[]>> = {
  xllamacpp: ({ alias, ctx, slots, port }, weights) => [
    ...[XLLAMACPP, '--model', weights, '--alias', alias, '--port', String(port)],
    ...['--ctx', String(ctx), '--slots', String(slots)],
  ],
  'llama-cpp-python': ({ alias, ctx, port }, weights) => [
    ...['-m', 'llama_cpp.server', '--model', weights, '--model_alias', alias],
    ...['--host', '127.0.0.1', '--port', String(port), '--n_ctx', String(ctx), '--n_threads', '1'],
  ],
};

/** A real engine as a process of its own, on loopback. */
export class Engine {
  private log = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => (this.log = (this.log + part.toString()).slice(-LONGEST_LOG)));
    }
  }

  /**
   * Starts an engine and waits until it has loaded the model.
   *
   * @throws Error with the end of the engine's log when it ends before that, or takes more than a minute
   */
  static async start(kind: EngineKind, venv: EnginesVenv, options: EngineOptions): Promise<Engine> {
    const engine = await Engine.launch(kind, venv, options);
    try {
      await engine.ready();
    } catch (fault) {
      await engine.kill();
      throw new Error(`${kind} did not start:\n${engine.log}`, { cause: fault });
    }
    return engine;
  }

  /** Starts an engine without waiting, so that its loading can be watched. */
  static async launch(kind: EngineKind, venv: EnginesVenv, options: EngineOptions): Promise<Engine> {
    const wanted = { ...DEFAULTS, ...options };
    const port = wanted.port === 0 ? await freePort() : wanted.port;
    const child = spawn(venv.python, ARGUMENTS[kind]({ ...wanted, port }, venv.weights), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Engine(child, port);
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves once `/v1/models` answers 200. */
  async ready(): Promise<void> {
    await eventually(async () => {
      // The loop of `eventually` has no other way out before its limit.
      if (this.hasEnded) return;
      const { status } = await fetch(`${this.url}/v1/models`);
      if (status !== 200) throw new Error(`/v1/models answers ${String(status)}`);
    }, READY_WITHIN_MS);
    if (this.hasEnded) throw new Error('the process ended');
  }

  /** Ends the process with SIGTERM, and with SIGKILL when it takes longer than 5 s. */
  async end(): Promise<void> {
    const tooLong = setTimeout(() => this.child.kill('SIGKILL'), END_WITHIN_MS);
    await this.signal('SIGTERM');
    clearTimeout(tooLong);
  }

  /** Ends the process with SIGKILL: its connections break, its port is free afterwards. */
  kill(): Promise<void> {
    return this.signal('SIGKILL');
  }

  private async signal(name: NodeJS.Signals): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.child, 'exit');
    this.child.kill(name);
    await exited;
  }
}
