import type { ModelRouting, NodeRow } from '../api/types.js';
import { verdictOf, type Verdict } from './verdict.js';

/** One model with its nodes, as the layer map shows it. */
export interface MappedModel {
  readonly routing: ModelRouting;
  readonly nodes: readonly NodeRow[];
  readonly verdict: Verdict;
}

export interface MappedModels {
  /** Those whose layers are spread over nodes: each gets an axis. */
  readonly sharded: readonly MappedModel[];
  /** Those that whole servers answer: a list says all. */
  readonly whole: readonly MappedModel[];
}

/**
 * A model whose nodes all serve the whole of it needs no axis, nor does one of a single layer; without nodes its
 * missing layers are worth one.
 */
export function mappedModels(models: readonly ModelRouting[], nodes: readonly NodeRow[]): MappedModels {
  const byModel = new Map<string, NodeRow[]>(models.map(({ model }) => [model, []]));
  for (const node of nodes) byModel.get(node.model)?.push(node);
  const mapped = models.map((routing) => {
    const own = byModel.get(routing.model) ?? [];
    const isWhole = isServedWhole(routing, own);
    return { isWhole, model: { routing, nodes: own, verdict: verdictOf(routing, own, isWhole) } };
  });
  return {
    sharded: mapped.filter(({ isWhole }) => !isWhole).map(({ model }) => model),
    whole: mapped.filter(({ isWhole }) => isWhole).map(({ model }) => model),
  };
}

/** Whether its layers are nobody's concern. */
function isServedWhole({ num_layers }: ModelRouting, nodes: readonly NodeRow[]): boolean {
  if (num_layers === 1) return true;
  return nodes.length > 0 && nodes.every(({ shard_start }) => shard_start === null);
}
