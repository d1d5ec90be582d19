import { InvalidRequestError } from '../kernel/index.js';

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
