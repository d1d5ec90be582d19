/** What a server said of a request that is longer than its context; null where it did not say. In tokens. */
export interface ContextLimit {
  /** As long as the server's context is. */
  readonly limitTokens: number | null;
  /** As long as the request was. */
  readonly requestTokens: number | null;
}

/** As much of a message is looked at. */
const MOST_CHARACTERS = 2048;
const NAMES: ReadonlySet<string> = new Set(['context_length_exceeded', 'exceed_context_size_error']);
/** llama.cpp, llama-cpp-python, vLLM, SGLang, Ollama, LM Studio and TGI, in this order; no pattern can backtrack far. */
const TOO_LONG = [
  /exceeds? (the )?(available )?context (size|window|length)/i,
  /maximum context length/i,
  /longer than the model'?s context/i,
  /(prompt|input|request) (is )?too long/i,
  /context (the )?overflow|loaded with context length/i,
  /must have less than \d{1,9} tokens|max_new_tokens` must be <=/i,
  /max_model_len|maximum model length|max_input_len/i,
];
const LIMIT = [
  /maximum context length (?:is|of) (\d{1,9})/i,
  /context (?:length|size|window)(?: of)?(?: only)?[ :=(]{1,3}(\d{1,9})/i,
  /less than (\d{1,9}) tokens/i,
  /must be <= (\d{1,9})/i,
];
const REQUEST = [
  /(?:requested|request has|contains|resulted in|given:?)(?: about)?(?: tokens)?[ (:]{1,3}(\d{1,9})/i,
  /input \((\d{1,9}) tokens\)/i,
  /(\d{1,9}) (?:input )?tokens/i,
];

/**
 * Whether an error says that the request is longer than the server's context.
 *
 * @param names the error's `code` and `type`
 */
export function saysTooLong(message: string | null, names: readonly string[]): boolean {
  if (names.some((name) => NAMES.has(name))) return true;
  const text = (message ?? '').slice(0, MOST_CHARACTERS);
  return TOO_LONG.some((pattern) => pattern.test(text));
}

/** Returns the lengths that an error about the context names, in its fields (llama.cpp) or in its message. */
export function contextLimitOf(body: Buffer, message: string | null): ContextLimit {
  const fields = errorFields(body);
  const text = (message ?? '').slice(0, MOST_CHARACTERS);
  return {
    limitTokens: count(fields.n_ctx) ?? firstNumber(LIMIT, text),
    requestTokens: count(fields.n_prompt_tokens) ?? firstNumber(REQUEST, text),
  };
}

function errorFields(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const answer = JSON.parse(body.toString('utf8')) as { readonly error?: unknown } | null;
    const error = answer?.error;
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function firstNumber(patterns: readonly RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const found = count(Number(pattern.exec(text)?.[1] ?? NaN));
    if (found !== null) return found;
  }
  return null;
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
