/** What a server said of a request that is longer than its context; null where it did not say. In tokens. */
export interface ContextLimit {
  /** As long as the server's context is. */
  readonly limitTokens: number | null;
  /** As long as the request was. */
  readonly requestTokens: number | null;
}

const ANSWER = /max_tokens|max_completion_tokens|max_new_tokens|completion|output tokens/i;
/** As much of a message is looked at. */
const MOST_CHARACTERS = 2048;
const NAMES: ReadonlySet<string> = new Set(['context_length_exceeded', 'exceed_context_size_error']);
/** llama.cpp, llama-cpp-python, vLLM, SGLang, Ollama, LM Studio and TGI say it in these words; no pattern can backtrack far. */
const TOO_LONG = [
  /exceeds? (the )?(available )?context (size|window|length)/i,
  /context size has been exceeded|\d tokens\) exceeds the maximum allowed length/i,
  /maximum context length|context length is only|context length of only/i,
  /(longer|greater) than the (model'?s )?(maximum )?(context|model) length/i,
  /(prompt|input|request) (is )?too long/i,
  /context (the )?overflow|loaded with context length/i,
  /must have less than \d{1,9} tokens|max_new_tokens` must be <=/i,
  /max_model_len|max_input_len/i,
];
const LIMIT = [
  /maximum context length (?:is|of) (\d{1,9})/i,
  /context length is only (\d{1,9})/i,
  /maximum model length of (\d{1,9})/i,
  /maximum allowed length \((\d{1,9}) tokens/i,
  /n_ctx: (\d{1,9})/i,
  /context (?:length|size|window)(?: of)?(?: only)?[ :=(]{1,3}(\d{1,9})/i,
  /less than (\d{1,9}) tokens/i,
  /must be <= (\d{1,9})/i,
];
const REQUEST = [
  /requested a total of (\d{1,9})/i,
  /you passed (\d{1,9}) input tokens/i,
  /you requested (?:about )?(\d{1,9}) tokens/i,
  /(?:request|input|requested tokens|input length) \((\d{1,9})/i,
  /\(length (\d{1,9})\)/i,
  /n_keep: (\d{1,9})/i,
  /your request has (\d{1,9})/i,
  /resulted in (\d{1,9})/i,
  /keep the first (\d{1,9})/i,
  /given:? (\d{1,9})/i,
];

/** The same of the prompt alone. */
const PROMPT = [
  /\((\d{1,9}) in (?:the messages|your prompt)/i,
  /(\d{1,9}) input tokens/i,
  /request \((\d{1,9}) tokens\) exceeds the available/i,
  /the input \((\d{1,9}) tokens\)/i,
  /input length \((\d{1,9}) tokens\)/i,
  /prompt \(length (\d{1,9})\)/i,
  /messages resulted in (\d{1,9})/i,
  /n_keep: (\d{1,9})|keep the first (\d{1,9})/i,
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

/**
 * Returns the prompt's own length in tokens where the error names it; null where it names none, or only the sum of the
 * prompt and the answer that was asked for. `max_tokens` is any client's to set, and says nothing of the prompt.
 */
export function promptTokensOf(body: Buffer, message: string | null): number | null {
  const text = (message ?? '').slice(0, MOST_CHARACTERS);
  return count(errorFields(body).n_prompt_tokens) ?? firstNumber(PROMPT, text);
}

/** Whether an error speaks of the answer's length, which may be all that is wrong with the request. */
export function speaksOfAnswer(message: string | null): boolean {
  return ANSWER.test((message ?? '').slice(0, MOST_CHARACTERS));
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
    const [, first, second] = pattern.exec(text) ?? [];
    const found = count(Number(first ?? second ?? NaN));
    if (found !== null) return found;
  }
  return null;
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
