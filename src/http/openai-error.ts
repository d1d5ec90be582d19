import { HttpException } from '@nestjs/common';
import {
  ConflictError,
  InvalidRequestError,
  LoopError,
  MeshnetError,
  MethodNotAllowedError,
  NodeFailedError,
  NodeTimeoutError,
  NoRouteError,
  NotFoundError,
  OverloadedError,
  PayloadTooLargeError,
  QueueError,
  RateLimitedError,
  ShuttingDownError,
  TooFewCallsError,
  UnsupportedMediaError,
  WalletProofError,
} from '../kernel/index.js';

/** OpenAI's error object, the only one that leaves this service. */
export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** A fault as it goes over the wire. */
export interface HttpFault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OpenAiErrorBody;
}

const STATUS_OF: readonly (readonly [abstract new (...args: never[]) => MeshnetError, number])[] = [
  [InvalidRequestError, 400],
  [WalletProofError, 403],
  [NotFoundError, 404],
  [MethodNotAllowedError, 405],
  [ConflictError, 409],
  [PayloadTooLargeError, 413],
  [UnsupportedMediaError, 415],
  [TooFewCallsError, 422],
  [QueueError, 429],
  [RateLimitedError, 429],
  [NodeFailedError, 502],
  [NodeTimeoutError, 504],
  [NoRouteError, 503],
  [OverloadedError, 503],
  [ShuttingDownError, 503],
  [LoopError, 508],
];

/** What the JSON and URL parsers of Express say, by their `type`; their own messages repeat what was sent. */
const PARSER_FAULTS: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'The body is not valid JSON.',
  'entity.too.large': 'The body is too large.',
  'encoding.unsupported': 'This Content-Encoding is not supported.',
  'charset.unsupported': 'Send JSON in UTF-8.',
  'request.aborted': 'The request ended before its body was complete.',
};

/** Maps whatever was thrown to status, headers and body. Of an unknown fault nothing leaks but that it was one. */
export function toHttpFault(fault: unknown): HttpFault {
  if (fault instanceof MeshnetError) {
    const status = STATUS_OF.find(([type]) => fault instanceof type)?.[1] ?? 500;
    const headers: Record<string, string> = {};
    if (fault.retryAfterSeconds !== null) headers['retry-after'] = String(fault.retryAfterSeconds);
    return { status, headers, body: errorBody(status, fault.message, fault.param, fault.code) };
  }
  // Nest wraps what the parsers threw and takes their message along.
  const parser = parserFault(fault instanceof HttpException ? fault.cause : fault);
  if (parser !== null) return parser;
  if (fault instanceof HttpException) {
    const status = fault.getStatus();
    const message = status === 404 ? 'This path does not exist.' : fault.message;
    return { status, headers: {}, body: errorBody(status, message, null, codeOf(status)) };
  }
  return { status: 500, headers: {}, body: errorBody(500, 'The tracker failed.', null, 'internal_error') };
}

function parserFault(fault: unknown): HttpFault | null {
  if (!(fault instanceof Error) || !('status' in fault) || typeof fault.status !== 'number') return null;
  const { status } = fault;
  if (status < 400 || status > 499) return null;
  const type = 'type' in fault && typeof fault.type === 'string' ? fault.type : '';
  const message = PARSER_FAULTS[type] ?? 'The request could not be understood.';
  return { status, headers: {}, body: errorBody(status, message, null, codeOf(status)) };
}

function codeOf(status: number): string {
  if (status === 404) return 'not_found';
  if (status === 413) return 'request_too_large';
  return status < 500 ? 'invalid_request' : 'internal_error';
}

export function errorBody(
  status: number,
  message: string,
  param: string | null,
  code: string | null,
): OpenAiErrorBody {
  return { error: { message, type: typeOf(status), param, code } };
}

/** The `type` that OpenAI gives to a status. */
function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
