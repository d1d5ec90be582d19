import type { ArgumentsHost } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { ModelNotFoundError, NoRouteError } from '../kernel/index.js';
import { OpenAiExceptionFilter } from './openai-exception.filter.js';

/** Remembers what was done to it. */
class Answer {
  sent: { status?: number; headers?: object; body?: unknown } = {};
  destroyed = false;

  constructor(readonly headersSent = false) {}

  status(status: number): this {
    this.sent.status = status;
    return this;
  }

  set(headers: object): this {
    this.sent.headers = headers;
    return this;
  }

  json(body: unknown): void {
    this.sent.body = body;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function caught(fault: unknown, answer = new Answer()): { answer: Answer; logger: SilentLogger } {
  const logger = new SilentLogger();
  const host = { switchToHttp: () => ({ getResponse: () => answer }) } as unknown as ArgumentsHost;
  new OpenAiExceptionFilter(logger).catch(fault, host);
  return { answer, logger };
}

describe('OpenAiExceptionFilter', () => {
  it('answers with status, headers and the error object', () => {
    const { answer } = caught(new NoRouteError('nobody', [], 5));
    expect(answer.sent).toEqual({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { error: { message: 'nobody', type: 'server_error', param: null, code: 'no_route' } },
    });
  });

  it('logs what nobody expected, and only that', () => {
    const fault = new Error('boom');
    expect(caught(fault).logger.of('http.unexpected_fault')).toEqual([
      { level: 'error', event: 'http.unexpected_fault', fields: { err: fault } },
    ]);
    expect(caught(new ModelNotFoundError('m')).logger.lines).toEqual([]);
    expect(caught(new NoRouteError('nobody', [], 5)).logger.lines).toEqual([]);
  });

  it('breaks off an answer that has begun, since its status is out', () => {
    const { answer } = caught(new Error('boom'), new Answer(true));
    expect(answer).toMatchObject({ destroyed: true, sent: {} });
  });
});
