import { describe } from '@jest/globals';
import { Stage, type StagedTracker, type TrackerOptions } from '../../support/stage.js';
import { MODEL } from '../../support/whole-model.js';
import { Engine, type EngineKind, type EngineOptions } from './engine.js';
import { enginesVenv } from './python.js';

const venv = enginesVenv();

/** A stage that has real engines, and a tracker in front of them. */
export class EngineStage extends Stage {
  async engine(kind: EngineKind, options: Partial<EngineOptions> = {}): Promise<Engine> {
    const engine = await Engine.start(kind, venv, { alias: MODEL, ...options });
    this.atEnd(() => engine.end());
    return engine;
  }

  /** A tracker that lists and probes these engines, as an operator would with `--node`. */
  listing(engines: readonly Engine[], options: TrackerOptions = {}): Promise<StagedTracker> {
    return this.tracker({ ...options, argv: engines.flatMap(({ url }) => ['--node', url]) });
  }
}

/** The node that a listed engine is. */
export function nodeIdOf(engine: Engine): string {
  return `local.127.0.0.1-${String(engine.port)}:all`;
}

/** Describes tests that need llama-cpp-python. Where it is not installed, prints one line and skips them. */
export function describeLlamaCppPython(title: string, tests: () => void): void {
  if (venv.hasLlamaCppPython) describe(title, tests);
  else {
    process.stderr.write(`skipped: "${title}" needs test/engines/make-venv.sh --with-llama-cpp-python\n`);
    describe.skip(title, tests);
  }
}
