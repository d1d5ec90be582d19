import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { Logger } from './kernel/index.js';
import type { LogLevel } from './settings/index.js';

/** Lines are written together, after so many bytes or so long; what is left at the end is written then. */
const GATHERED = { dest: 1, sync: false, minLength: 4096, periodicFlush: 100 };

/** One line of JSON an event, on standard output. */
export function pinoLogger(level: LogLevel): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(GATHERED));
}

/** What Nest itself says; its start-up chatter is for debugging alone. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...context: unknown[]): void {
    this.logger.debug({ context: context.at(-1) }, String(message));
  }

  warn(message: unknown, ...context: unknown[]): void {
    this.logger.warn({ context: context.at(-1) }, String(message));
  }

  error(message: unknown, ...context: unknown[]): void {
    // Whoever starts the service tells that it can't listen, in plainer words.
    if (context.at(-1) === 'NestApplication') return;
    this.logger.error({ context: context.at(-1) }, String(message));
  }
}
