/** A JSON object, its members not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A failure that a head reports inside a 200. */
export interface InBandError {
  /** The numeric `code`, given as a number or as digits, else the numeric `status`. */
  readonly code: number | null;
  /** `code` where it is text: `hop_failed`, and `"502"` too. */
  readonly codeText: string | null;
  /** `type`, such as `invalid_request_error`. */
  readonly type: string | null;
  /** The field of the request that the error is about, where the head names one. */
  readonly param: string | null;
  readonly message: string | null;
  /** The hop to blame, where the head names one. */
  readonly nodeId: string | null;
}

/** An error and whether OpenAI's clients see it as one: they know only a member `error` of an event's data. */
export interface FoundError {
  readonly error: InBandError;
  readonly isHidden: boolean;
}

/** HTTP statuses of the error names that engines and OpenAI use, in lower case and letters only. */
const STATUS_OF_NAME: ReadonlyMap<string, number> = new Map([
  ['invalidrequest', 400],
  ['invalidrequesterror', 400],
  ['badrequest', 400],
  ['badrequesterror', 400],
  ['contextlengthexceeded', 400],
  ['exceedcontextsizeerror', 400],
  ['invalidapikey', 401],
  ['authenticationerror', 401],
  ['insufficientquota', 402],
  ['permissionerror', 403],
  ['permissiondeniederror', 403],
  ['modelnotfound', 404],
  ['notfounderror', 404],
  ['requesttoolarge', 413],
  ['unprocessableentityerror', 422],
  ['ratelimiterror', 429],
  ['ratelimitexceeded', 429],
  ['notimplementederror', 501],
  ['notsupportederror', 501],
]);
const BAD_GATEWAY = 502;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text, or a list, that is not empty. */
export function isFilled(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}

/**
 * Returns the error that an answer or a chunk carries, or null.
 *
 * | where                                  | written by                    |
 * | -------------------------------------- | ----------------------------- |
 * | `error`: object, text, true or number  | OpenAI, llama.cpp, Ollama     |
 * | `object: "error"`                      | vLLM                          |
 * | `detail`, without choices              | FastAPI                       |
 * | `message` (or `msg`) and `code`, same  | gateways                      |
 * | `error` inside a choice                | OpenRouter                    |
 *
 * @param hasChoices whether the answer has a choice; an empty error object beside choices is none
 */
export function findError(answer: JsonObject, hasChoices: boolean): FoundError | null {
  const error = memberError(answer, hasChoices);
  if (error !== null) return { error, isHidden: false };
  const hidden = hiddenError(answer, hasChoices);
  return hidden === null ? null : { error: hidden, isHidden: true };
}

/** Returns the error that `fields` describe; the caller knows that they describe one. */
export function errorOf(fields: JsonObject): InBandError {
  return {
    code: wholeNumber(fields.code) ?? wholeNumber(fields.status),
    codeText: textOrNull(fields.code),
    type: textOrNull(fields.type),
    param: textOrNull(fields.param),
    message: textOrNull(fields.message) ?? textOrNull(fields.msg),
    nodeId: textOrNull(fields.node_id),
  };
}

/** Returns the error that stands in an SSE field `error:` or in the data of an event named `error`. */
export function errorOfText(text: string, parsed: unknown): InBandError {
  if (!isJsonObject(parsed)) return { ...errorOf({}), message: text };
  return findError(parsed, false)?.error ?? errorOf(parsed);
}

/** Returns the HTTP status that an error inside a 200 stands for: its numeric code, else its name's, else 502. */
export function statusOfError({ code, codeText, type }: InBandError): number {
  if (code !== null && Number.isInteger(code) && code >= 400 && code <= 599) return code;
  return statusOfName(codeText) ?? statusOfName(type) ?? BAD_GATEWAY;
}

function statusOfName(name: string | null): number | undefined {
  return name === null ? undefined : STATUS_OF_NAME.get(name.toLowerCase().replace(/[^a-z]/g, ''));
}

function memberError(answer: JsonObject, hasChoices: boolean): InBandError | null {
  const { error } = answer;
  if (isJsonObject(error)) return hasChoices && isBlank(error) ? null : errorOf(error);
  if (typeof error === 'string') return error === '' ? null : { ...errorOf(answer), message: error };
  if (typeof error === 'number') return error === 0 ? null : { ...errorOf(answer), code: wholeNumber(error) };
  return error === true ? errorOf(answer) : null;
}

/** Some servers send an error object with every answer, its members empty where there was no error. */
function isBlank(error: JsonObject): boolean {
  return Object.values(error).every(isNothing);
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (value ?? '') === '' || value === 0 || value === false;
}

function hiddenError(answer: JsonObject, hasChoices: boolean): InBandError | null {
  if (answer.object === 'error') return errorOf(answer);
  if (hasChoices) return choiceError(answer.choices);
  const { detail } = answer;
  if (isFilled(detail) || isJsonObject(detail)) return { ...errorOf(answer), message: detailText(detail) };
  const hasCode = wholeNumber(answer.code) !== null || isFilled(answer.code);
  return hasCode && (isFilled(answer.message) || isFilled(answer.msg)) ? errorOf(answer) : null;
}

function choiceError(choices: unknown): InBandError | null {
  if (!Array.isArray(choices)) return null;
  for (const choice of choices as unknown[]) {
    const error = isJsonObject(choice) ? memberError(choice, true) : null;
    if (error !== null) return error;
  }
  return null;
}

/** FastAPI lists what is wrong with a request as objects with a `msg`. */
function detailText(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  const rows: unknown[] = Array.isArray(detail) ? detail : [detail];
  const texts = rows.map((row) =>
    isJsonObject(row) ? (textOrNull(row.msg) ?? textOrNull(row.message)) : row,
  );
  return texts.filter((text) => typeof text === 'string').join('; ') || null;
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
