import { InvalidRequestError, readDecimal } from '../kernel/index.js';

/**
 * One query parameter as text, or null when it isn't there.
 *
 * @throws InvalidRequestError when it was given more than once or as an object
 */
export function queryText(value: unknown, name: string): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw new InvalidRequestError(`${name} must be given once, as plain text.`, name);
}

/**
 * One query parameter as a whole number from 1 up.
 *
 * @throws InvalidRequestError when it is anything else, or more than `most`
 */
export function queryCount(
  value: unknown,
  name: string,
  { byDefault, most }: { readonly byDefault: number; readonly most: number },
): number {
  const text = queryText(value, name);
  if (text === null) return byDefault;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) {
    throw new InvalidRequestError(`${name} must be a whole number from 1 to ${String(most)}.`, name);
  }
  return count;
}

/**
 * One query parameter as a decimal number, spelled as settings may spell it, or null when it isn't there.
 *
 * @throws InvalidRequestError when it is anything else, or out of range
 */
export function queryNumber(
  value: unknown,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  const text = queryText(value, name);
  if (text === null) return null;
  const number = readDecimal(text);
  if (number !== undefined && number >= least && number <= most) return number;
  throw new InvalidRequestError(`${name} must be a number from ${String(least)} to ${String(most)}.`, name);
}

/**
 * One query parameter as one of some names, or null when it isn't there.
 *
 * @throws InvalidRequestError when it is anything else; the message tells the names
 */
export function queryName<T extends string>(value: unknown, name: string, known: readonly T[]): T | null {
  const text = queryText(value, name);
  const found = known.find((one) => one === text);
  if (found !== undefined || text === null) return found ?? null;
  throw new InvalidRequestError(`${name} must be one of ${known.join(', ')}.`, name);
}
