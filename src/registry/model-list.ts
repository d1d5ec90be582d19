import { isModelKey } from '../kernel/index.js';

/** A server's list of models. */
export interface ModelList {
  /** In its order, without repetitions. */
  readonly ids: readonly string[];
  /** Context lengths in tokens, by id, where the list tells them. */
  readonly contextTokens: ReadonlyMap<string, number>;
}

const MOST_MODELS = 1000;
/** Where servers put the length of the context that a request has: LM Studio, vLLM and SGLang, and others. */
const LENGTH_FIELDS = [
  'loaded_context_length',
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
];

type Fields = Readonly<Record<string, unknown>>;

/** Returns what an answer to `GET /v1/models` lists; null when it is no such list. */
export function readModelList(answer: unknown): ModelList | null {
  if (!isObject(answer) || !Array.isArray(answer.data)) return null;
  const ids = new Set<string>();
  const contextTokens = new Map<string, number>();
  for (const row of answer.data.slice(0, MOST_MODELS) as unknown[]) {
    if (!isObject(row) || !isModelKey(row.id)) continue;
    ids.add(row.id);
    const tokens = contextTokensOf(row);
    if (tokens !== null) contextTokens.set(row.id, tokens);
  }
  return { ids: [...ids], contextTokens };
}

/** llama.cpp tells the length of one slot as `meta.n_ctx`. */
function contextTokensOf(row: Fields): number | null {
  const named = LENGTH_FIELDS.map((field) => row[field]);
  const lengths = isObject(row.meta) ? [...named, row.meta.n_ctx] : named;
  return lengths.find(isLength) ?? null;
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
