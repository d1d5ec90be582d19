/**
 * Asks the real engines directly and writes what they answered to test/fixtures/engines: `npm run engines:record`, by
 * hand, after `test/engines/make-venv.sh --with-llama-cpp-python`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EngineRecording } from '../../support/engine-recording.js';
import { Engine, type EngineKind } from '../support/engine.js';
import { enginesVenv, type EnginesVenv } from '../support/python.js';
import { ask } from './ask.js';
import { BAD_GRAMMAR, casesOf, INTERRUPTED, type RecordedCase } from './cases.js';

const OPTIONS = { alias: 'm', ctx: 512, slots: 2 };
const MODELLESS = ['chat-json', 'chat-stream'];

class Recorder {
  private readonly version: string;

  constructor(
    private readonly kind: EngineKind,
    private readonly venv: EnginesVenv,
  ) {
    const distribution = kind === 'xllamacpp' ? 'xllamacpp' : 'llama-cpp-python';
    const print = `import importlib.metadata as m; print(m.version("${distribution}"))`;
    this.version = execFileSync(venv.python, ['-c', print], { encoding: 'utf8' }).trim();
    mkdirSync(this.folder, { recursive: true });
  }

  async run(): Promise<void> {
    if (this.kind === 'xllamacpp') await this.recordLoading();
    const engine = await Engine.start(this.kind, this.venv, OPTIONS);
    try {
      for (const one of casesOf(OPTIONS.alias)) this.write(one.name, await ask(engine.url, one));
      for (const one of casesOf(null).filter(({ name }) => MODELLESS.includes(name))) {
        this.write(`${one.name}-without-model`, await ask(engine.url, one));
      }
      if (this.kind === 'llama-cpp-python') await this.recordInterruptions(engine.url);
      this.write(BAD_GRAMMAR.name, await ask(engine.url, BAD_GRAMMAR));
    } finally {
      await engine.end();
    }
  }

  /** llama.cpp opens its port before it has a model. */
  private async recordLoading(): Promise<void> {
    const engine = await Engine.launch(this.kind, this.venv, OPTIONS);
    const [chat] = casesOf(OPTIONS.alias) as [RecordedCase];
    try {
      for (;;) {
        const answer = await ask(engine.url, chat);
        if (answer.status === 200) throw new Error('the model was loaded before the first answer');
        if (answer.status === null) continue;
        this.write('loading', answer);
        return;
      }
    } finally {
      await engine.end();
    }
  }

  private async recordInterruptions(url: string): Promise<void> {
    const [first] = await Promise.all([ask(url, INTERRUPTED), ask(url, INTERRUPTED)]);
    this.write('interrupted-before-content', first);
    let interrupting: Promise<unknown> | null = null;
    const second = await ask(url, INTERRUPTED, (text) => {
      if (text.split('"content"').length > 8) interrupting ??= ask(url, INTERRUPTED);
    });
    this.write('interrupted-after-content', second);
    await (interrupting as Promise<unknown> | null);
  }

  private write(name: string, answer: Omit<EngineRecording, 'engine'>): void {
    const recording: EngineRecording = { engine: `${this.kind} ${this.version}`, ...answer };
    writeFileSync(join(this.folder, `${name}.json`), `${JSON.stringify(recording, null, 1)}\n`);
    process.stdout.write(
      `${this.kind} ${name}: ${String(answer.status)}${answer.isWhole ? '' : ', broken'}\n`,
    );
  }

  private get folder(): string {
    return resolve('test/fixtures/engines', this.kind);
  }
}

/** A link for the environment: engines name their own paths, and no home folder shall stand in a recording. */
const link = join(tmpdir(), 'engines-venv');
rmSync(link, { force: true });
symlinkSync(resolve('.engines/venv'), link);
try {
  const venv = enginesVenv(link);
  await new Recorder('xllamacpp', venv).run();
  if (venv.hasLlamaCppPython) await new Recorder('llama-cpp-python', venv).run();
} finally {
  rmSync(link);
}
