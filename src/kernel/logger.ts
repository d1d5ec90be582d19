/** What a room may write: one event with its fields. Implemented by pino; never given a key, a prompt or a body. */
export interface Logger {
  debug(fields: object, event: string): void;
  /** @param membersOf the fields as JSON, without its braces, where whoever tells of them can write that faster */
  info<T extends object>(fields: T, event: string, membersOf?: (fields: T) => string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

/** Injection token of the {@link Logger}. */
export const LOGGER = Symbol('Logger');
