import { BadRequestException, HttpException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import {
  ConflictError,
  InvalidRequestError,
  LeaseUnknownError,
  MeshnetError,
  ModelNotFoundError,
  NodeFailedError,
  NodeNotFoundError,
  NodeTimeoutError,
  NoRouteError,
  OverloadedError,
  PayloadTooLargeError,
  ShuttingDownError,
  UnsupportedMediaError,
} from '../kernel/index.js';
import { toHttpFault } from './index.js';

class UnmappedError extends MeshnetError {
  readonly code = 'unmapped';
}

/** What Express's parsers throw. */
function parserFault(status: number, type: string, said = 'canary'): Error {
  return Object.assign(new SyntaxError(said), { status, statusCode: status, type });
}

describe('toHttpFault', () => {
  it.each([
    [new InvalidRequestError('m', 'model'), 400, 'invalid_request_error', 'model', 'invalid_request'],
    [new InvalidRequestError('m', null, 'own_code'), 400, 'invalid_request_error', null, 'own_code'],
    [new ModelNotFoundError('x'), 404, 'invalid_request_error', 'model', 'model_not_found'],
    [new LeaseUnknownError(), 404, 'invalid_request_error', null, 'lease_unknown'],
    [new NodeNotFoundError('m'), 404, 'invalid_request_error', 'node_id', 'node_not_found'],
    [new ConflictError('m', 'num_layers'), 409, 'invalid_request_error', 'num_layers', 'conflict'],
    [new PayloadTooLargeError('m'), 413, 'invalid_request_error', null, 'request_too_large'],
    [new UnsupportedMediaError('m'), 415, 'invalid_request_error', null, 'unsupported_media_type'],
    [new NodeFailedError('m', 'node_unreachable'), 502, 'server_error', null, 'node_unreachable'],
    [new NodeFailedError('m', 'answer_cut_off'), 502, 'server_error', null, 'answer_cut_off'],
    [new NodeTimeoutError('m'), 504, 'server_error', null, 'node_timeout'],
    [new NoRouteError('m', [], 5), 503, 'server_error', null, 'no_route'],
    [new OverloadedError('m'), 503, 'server_error', null, 'overloaded'],
    [new ShuttingDownError(), 503, 'server_error', null, 'shutting_down'],
    [new UnmappedError('m'), 500, 'server_error', null, 'unmapped'],
  ])('maps %s to its status, type, param and code', (fault, status, type, param, code) => {
    const told = toHttpFault(fault);
    expect(told.status).toBe(status);
    expect(told.body).toEqual({ error: { message: fault.message, type, param, code } });
  });

  it('says when to try again, where that makes sense', () => {
    expect(toHttpFault(new NoRouteError('m', [], 5)).headers).toEqual({ 'retry-after': '5' });
    expect(toHttpFault(new OverloadedError('m')).headers).toEqual({ 'retry-after': '1' });
    expect(toHttpFault(new ShuttingDownError()).headers).toEqual({ 'retry-after': '1' });
    expect(toHttpFault(new ModelNotFoundError('x')).headers).toEqual({});
  });

  it.each([
    [new NotFoundException('Cannot GET /canary'), 404, 'invalid_request_error', 'not_found'],
    [new BadRequestException('m'), 400, 'invalid_request_error', 'invalid_request'],
    [new HttpException('m', 401), 401, 'authentication_error', 'invalid_request'],
    [new HttpException('m', 403), 403, 'permission_error', 'invalid_request'],
    [new HttpException('m', 413), 413, 'invalid_request_error', 'request_too_large'],
    [new HttpException('m', 429), 429, 'rate_limit_error', 'invalid_request'],
    [new HttpException('m', 502), 502, 'server_error', 'internal_error'],
  ])('gives what the framework throws the same shape: %s', (fault, status, type, code) => {
    const told = toHttpFault(fault);
    expect(told.status).toBe(status);
    expect(told.body.error).toMatchObject({ type, code, param: null });
    expect(JSON.stringify(told.body)).not.toContain('canary');
  });

  it.each([
    [400, 'entity.parse.failed', 'The body is not valid JSON.'],
    [413, 'entity.too.large', 'The body is too large.'],
    [415, 'encoding.unsupported', 'This Content-Encoding is not supported.'],
    [415, 'charset.unsupported', 'Send JSON in UTF-8.'],
    [400, 'request.aborted', 'The request ended before its body was complete.'],
    [400, 'something.else', 'The request could not be understood.'],
  ])('tells a parser fault %i %s without repeating what was sent', (status, type, message) => {
    const raw = parserFault(status, type);
    for (const fault of [raw, new HttpException(raw.message, status, { cause: raw })]) {
      const told = toHttpFault(fault);
      expect(told.status).toBe(status);
      expect(told.body.error.message).toBe(message);
    }
  });

  it('repeats nothing of a path that is wrongly encoded', () => {
    const raw = Object.assign(new URIError("Failed to decode param 'canary%FF'"), { status: 400 });
    const told = toHttpFault(new BadRequestException(raw.message, { cause: raw }));
    expect(told.body.error.message).toBe('The request could not be understood.');
  });

  it.each([
    new Error('canary'),
    parserFault(500, 'entity.parse.failed'),
    Object.assign(new Error('canary'), { status: '400' }),
    { status: 400, message: 'canary' },
    'canary',
    null,
    undefined,
  ])('lets nothing of an unexpected fault out: %p', (fault) => {
    expect(toHttpFault(fault)).toEqual({
      status: 500,
      headers: {},
      body: {
        error: { message: 'The tracker failed.', type: 'server_error', param: null, code: 'internal_error' },
      },
    });
  });
});
