import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { isoTime, SystemClock, type Logger } from './kernel/index.js';
import { LineGatherer, MOST_GATHERED_BYTES } from './line-gatherer.js';
import type { LogLevel } from './settings/index.js';

/** What is left at the end is written then, at once; so little that until then nothing of it is under way. */
const DESTINATION = {
  dest: 1,
  sync: false,
  minLength: MOST_GATHERED_BYTES,
  maxWrite: 2 * MOST_GATHERED_BYTES,
};
const FLUSHED_EVERY_MS = 100;

/** One line of JSON an event, on standard output. */
export function pinoLogger(level: LogLevel): Logger {
  const clock = new SystemClock();
  const now = (): string => isoTime(clock.wallMs());
  const { add, flush } = gathererOn(() => pino.destination({ ...DESTINATION, contentMode: 'buffer' }));
  setInterval(flush, FLUSHED_EVERY_MS).unref();
  const timestamp = (): string => `,"time":"${now()}"`;
  return withPlainInfo(pino({ level, base: null, timestamp }, { write: add }), add, now);
}

const gatherers: LineGatherer[] = [];

/** Before the process ends, the stream has to have all before it writes what it has: so who listens first goes first. */
function gathererOn(open: () => ReturnType<typeof pino.destination>): LineGatherer {
  if (gatherers.length === 0) {
    process.on('beforeExit', handOverAll);
    process.on('exit', handOverAll);
  }
  const out = open();
  const gatherer = new LineGatherer({
    write: (lines) => void out.write(lines as unknown as string),
    flush: () => out.flush(),
  });
  gatherers.push(gatherer);
  return gatherer;
}

function handOverAll(): void {
  for (const gatherer of gatherers) gatherer.handOver();
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
    info: (fields, event, membersOf = jsonMembers) => {
      if (!isOn) return;
      const body = membersOf(fields);
      const said = body === '' ? '' : `${body},`;
      write(`{"level":${level},"time":"${now()}",${said}"msg":${JSON.stringify(event)}}\n`);
    },
  };
}

function jsonMembers(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
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
