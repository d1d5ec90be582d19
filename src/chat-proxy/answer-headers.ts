import { NO_SNIFF, toHttpFault } from '../http/index.js';
import type { AttemptContext } from './incoming-chat.js';
import type { ClientAnswer } from './relay/client-answer.js';
import { signatureHeader, type HeaderMap } from './request/headers.js';

/** Which route served, why, and how many were tried. */
export function routeHeaders({
  chat,
  decision,
  number,
}: Pick<AttemptContext, 'chat' | 'decision' | 'number'>): HeaderMap {
  return {
    'x-request-id': chat.requestId,
    'x-meshnet-route': signatureHeader(decision.signature),
    'x-meshnet-route-mode': decision.mode,
    'x-meshnet-attempts': String(number),
    // NO_SNIFF, spelled out: a spread makes V8 build the object's shape anew each time.
    'x-content-type-options': 'nosniff',
  };
}

/** A fault of ours as the client's whole answer. */
export function answerFault(client: ClientAnswer, fault: unknown, more: HeaderMap): void {
  const { status, headers, body } = toHttpFault(fault);
  const bytes = Buffer.from(JSON.stringify(body));
  client.begin(status, {
    ...headers,
    ...more,
    ...NO_SNIFF,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
  });
  client.end([bytes]);
}
