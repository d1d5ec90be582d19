/** A JSON object, its members not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A failure that a head tells inside a 200. */
export interface InBandError {
  /** The numeric `code`, given as a number or as digits, else the numeric `status`. */
  readonly code: number | null;
  /** `code` where it is text: `hop_failed`, and `"502"` too. */
  readonly codeText: string | null;
  readonly message: string | null;
  /** The hop to blame, where the head names one. */
  readonly nodeId: string | null;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** OpenAI's `{"error":{…}}`, Ollama's `{"error":"text"}` and vLLM's `{"object":"error",…}`; null if it is none of these. */
export function readInBandError(answer: JsonObject): InBandError | null {
  const { error } = answer;
  if (isJsonObject(error)) return errorOf(error);
  if (typeof error === 'string' && error !== '') return { ...errorOf(answer), message: error };
  return answer.object === 'error' ? errorOf(answer) : null;
}

/** The error that `fields` describes, whatever says that it is one. */
export function errorOf(fields: JsonObject): InBandError {
  return {
    code: wholeNumber(fields.code) ?? wholeNumber(fields.status),
    codeText: textOrNull(fields.code),
    message: textOrNull(fields.message),
    nodeId: textOrNull(fields.node_id),
  };
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
