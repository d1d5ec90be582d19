import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { eventually } from './eventually.js';

const COMPILER: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
};

/** The real program, its types stripped on the way, so that a test needs no build. */
export class Program {
  private readonly home: string;
  private readonly running = new Set<ChildProcess>();

  constructor() {
    // Below node_modules, where the program's imports are found.
    mkdirSync('node_modules/.cache', { recursive: true });
    this.home = mkdtempSync('node_modules/.cache/program-');
    for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
      const made = join(this.home, 'dist', file.replace(/ts$/, 'js'));
      mkdirSync(dirname(made), { recursive: true });
      const source = readFileSync(join('src', file), 'utf8');
      writeFileSync(made, ts.transpileModule(source, { compilerOptions: COMPILER }).outputText);
    }
    cpSync('package.json', join(this.home, 'package.json'));
  }

  /** Starts the tracker, or another program of dist/, with these flags and nothing in its environment but `env`. */
  start(
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
    entry = 'main.js',
  ): RunningProgram {
    const child = spawn(process.execPath, [join(this.home, 'dist', entry), ...flags], { env });
    this.running.add(child);
    return new RunningProgram(child);
  }

  /** Kills what still runs. */
  killAll(): void {
    for (const child of this.running) child.kill('SIGKILL');
    this.running.clear();
  }

  remove(): void {
    this.killAll();
    rmSync(this.home, { recursive: true });
  }
}

export class RunningProgram {
  stdout = '';
  stderr = '';
  /** Code or signal, once it has ended and said all. */
  readonly ended: Promise<number | string>;

  constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (part: Buffer) => (this.stdout += part.toString()));
    child.stderr?.on('data', (part: Buffer) => (this.stderr += part.toString()));
    this.ended = once(child, 'close').then(
      ([code, signal]: (number | string | null)[]) => code ?? signal ?? '',
    );
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with the tracker's URL once it takes chats. */
  async url(): Promise<string> {
    return eventually(() => {
      const url = /meshnet tracker on (\S+)/.exec(this.stderr)?.[1];
      if (url === undefined) throw new Error(`the program said: ${this.stderr}`);
      return url;
    }, 15_000);
  }
}
