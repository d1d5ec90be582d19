import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { LOGGER, type Logger } from '../kernel/index.js';
import { toHttpFault } from './openai-error.js';

/** The one filter: everything thrown below Nest leaves in OpenAI's shape. */
@Catch()
export class OpenAiExceptionFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(fault: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const { status, headers, body } = toHttpFault(fault);
    if (status >= 500 && body.error.code === 'internal_error') {
      this.logger.error({ err: fault }, 'http.unexpected_fault');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(status).set(headers).json(body);
  }
}
