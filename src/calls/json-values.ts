/** Nothing that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

export function text(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

export function textOrNull(value: string | null): string {
  return value === null ? 'null' : text(value);
}

export function flag(value: boolean): string {
  return value ? 'true' : 'false';
}

/** JSON has no infinity. */
export function number(value: number | null): string {
  return value === null || !Number.isFinite(value) ? 'null' : String(value);
}
