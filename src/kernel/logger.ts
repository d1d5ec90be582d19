/** What a room may write: one event with its fields. Implemented by pino; never given a key, a prompt or a body. */
export interface Logger {
  debug(fields: object, event: string): void;
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

/** Injection token of the {@link Logger}. */
export const LOGGER = Symbol('Logger');
