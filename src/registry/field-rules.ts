import { IsInt, IsNumber, Max, Min } from '../kernel/index.js';

const FINITE = { allowNaN: false, allowInfinity: false };
/** What any count or speed may be at most. */
export const MOST = 1e9;

function whole(property: string, least: number, most: number): string {
  return `${property} must be a whole number from ${String(least)} to ${String(most)}`;
}

export function WholeNumber(least: number, most: number): PropertyDecorator {
  return (target, property) => {
    const message = whole(String(property), least, most);
    IsInt({ message })(target, property);
    Min(least, { message })(target, property);
    Max(most, { message })(target, property);
  };
}

/** A speed of nothing would be no speed at all; a node that must not be used says `draining`. */
export function TokensPerSecond(): PropertyDecorator {
  return (target, property) => {
    const message = `${String(property)} must be a number above 0 and at most ${String(MOST)}`;
    IsNumber(FINITE, { message })(target, property);
    Min(Number.MIN_VALUE, { message })(target, property);
    Max(MOST, { message })(target, property);
  };
}
