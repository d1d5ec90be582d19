import type { Logger } from '../../src/kernel/index.js';

export interface LogLine {
  readonly level: keyof Logger;
  readonly event: string;
  readonly fields: object;
}

/** Keeps what was logged instead of writing it. */
export class SilentLogger implements Logger {
  readonly lines: LogLine[] = [];

  debug(fields: object, event: string): void {
    this.lines.push({ level: 'debug', event, fields });
  }

  info(fields: object, event: string): void {
    this.lines.push({ level: 'info', event, fields });
  }

  warn(fields: object, event: string): void {
    this.lines.push({ level: 'warn', event, fields });
  }

  error(fields: object, event: string): void {
    this.lines.push({ level: 'error', event, fields });
  }

  of(event: string): LogLine[] {
    return this.lines.filter((line) => line.event === event);
  }
}
