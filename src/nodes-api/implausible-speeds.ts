/** So many times the median of its model's routes, and a measured speed is not believed without a look. */
const MOST_TIMES = 20;
/** Of fewer routes a median says nothing. */
const LEAST_ROUTES = 3;
const MOST_ROUTES = 1024;

/** What the routes of one model were last learned to do, in tokens/s; the oldest go first. */
export class ImplausibleSpeeds {
  private readonly learned = new Map<string, number>();

  record(signature: string, learnedTps: number): void {
    this.learned.delete(signature);
    this.learned.set(signature, learnedTps);
    if (this.learned.size <= MOST_ROUTES) return;
    const [oldest] = this.learned.keys();
    if (oldest !== undefined) this.learned.delete(oldest);
  }

  /** Nodes of routes that are over twenty times as fast as the model's median route. */
  nodeIds(): ReadonlySet<string> {
    const speeds = [...this.learned.values()].sort((a, b) => a - b);
    if (speeds.length < LEAST_ROUTES) return NONE;
    const limit = MOST_TIMES * (speeds[(speeds.length - 1) >> 1] ?? Infinity);
    if ((speeds.at(-1) ?? 0) <= limit) return NONE;
    const routes = [...this.learned].filter(([, tps]) => tps > limit);
    return new Set(routes.flatMap(([signature]) => nodeIdsIn(signature)));
  }
}

const NONE: ReadonlySet<string> = new Set();

/** `model|id[0-21]->id[22-39]`; a model's name may have anything in it, a node's id neither bar nor bracket. */
function nodeIdsIn(signature: string): string[] {
  const hops = signature.slice(signature.lastIndexOf('|') + 1).split('->');
  return hops.map((hop) => hop.slice(0, hop.lastIndexOf('[')));
}
