import { EndpointFault, normaliseEndpoint } from '../kernel/index.js';

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A decimal number; hexadecimal, blanks, "Infinity" and what overflows can't be read. */
export function readNumber(text: string): number | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isFinite(value) ? value : undefined;
}

export function readText(text: string): string {
  return text;
}

/** A list of endpoints, normalised; `undefined` when any of them is none. */
export function readEndpoint(text: string): string | undefined {
  try {
    return normaliseEndpoint(text);
  } catch (fault) {
    if (fault instanceof EndpointFault) return undefined;
    throw fault;
  }
}
