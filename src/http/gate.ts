import { jsonBody, type Answering, type Asked, type LaneRequest, type LaneResponse } from './lane.js';
import type { OpenAiErrorBody } from './openai-error.js';
import { NO_SNIFF } from './security-headers.js';

/** Asked of every request before any lane, Nest or Express sees it. */
export interface Gate {
  /**
   * null: it may go on. Must neither throw nor read the body.
   *
   * @param path without query, as it was sent: nothing is decoded, folded or shortened
   */
  admit(request: Asked, path: string, response: Answering): Refusal | null;
}

/** Told of every request that a gate refuses. */
export interface RefusalWatch {
  /** @returns what is answered: the same, or another refusal */
  refused(request: Asked, path: string, refusal: Refusal): Refusal;
}

/** What a request that may not go on is told. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** null: there is nothing to say. */
  readonly body: OpenAiErrorBody | null;
}

/** As helmet would put them on an answer that Express gives. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  ...NO_SNIFF,
};

/** Answers without having read the body. Where one is still to come the connection ends: its bytes are no next request. */
export function refuse(request: LaneRequest, response: LaneResponse, refusal: Refusal, wallMs: number): void {
  const body = jsonBody(refusal.body);
  const { declaredLength, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (declaredLength ?? 0) > 0;
  const told = {
    ...HEADERS,
    ...refusal.headers,
    ...(hasBody ? { connection: 'close' } : {}),
    ...body.headers,
  };
  response.begin(refusal.status, told, wallMs);
  response.endWith(request.method === 'HEAD' ? '' : body.text);
  // What the client is still sending is thrown away, so that it gets to read the answer.
  if (hasBody) request.letBodyGo();
}
