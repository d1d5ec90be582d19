/** One way through each text: a second repetition over the same digits would take quadratic time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads a plain decimal number: `3`, `-0.5`, `+3`, `.5`, `5.`, `1e-1`.
 *
 * @returns undefined for hexadecimal, blanks, separators, "Infinity", "NaN" and what overflows
 */
export function readDecimal(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
