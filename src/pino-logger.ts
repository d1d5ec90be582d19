import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { isoTime, SystemClock, type Logger } from './kernel/index.js';
import type { LogLevel } from './settings/index.js';

/** Lines are written together, after so many bytes or so long; what is left at the end is written then. */
const GATHERED = { dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 };

/** One line of JSON an event, on standard output. */
export function pinoLogger(level: LogLevel): Logger {
  const clock = new SystemClock();
  const now = (): string => isoTime(clock.wallMs());
  const out = pino.destination({ ...GATHERED, contentMode: 'buffer' });
  const write = (line: string): void => void out.write(Buffer.from(line) as unknown as string);
  const timestamp = (): string => `,"time":"${now()}"`;
  return withPlainInfo(pino({ level, base: null, timestamp }, { write }), write, now);
}

/**
 * The same lines for `info`, which every call writes one of. No error is told of by it, so that no field needs a serialiser
 * of its own: all of them at once cost a third.
 */
function withPlainInfo(logger: pino.Logger, write: (line: string) => void, now: () => string): Logger {
  const isOn = logger.isLevelEnabled('info');
  const level = String(logger.levels.values.info);
  return {
    debug: (fields, event) => logger.debug(fields, event),
    warn: (fields, event) => logger.warn(fields, event),
    error: (fields, event) => logger.error(fields, event),
    info: (fields, event) => {
      if (!isOn) return;
      const body = JSON.stringify(fields).slice(1, -1);
      const said = body === '' ? '' : `${body},`;
      write(`{"level":${level},"time":"${now()}",${said}"msg":${JSON.stringify(event)}}\n`);
    },
  };
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
