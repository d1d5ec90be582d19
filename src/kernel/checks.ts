import { createRequire } from 'node:module';
import type * as ClassValidator from 'class-validator';

/**
 * What is used of class-validator. Its front door loads three hundred files, the rules of the world's telephone numbers
 * among them: a tenth of the whole start. These are a thirtieth of that; each still registers its rule in the one storage
 * that class-validator keeps for a process, so whoever enters by the front door finds the same.
 */
const part = createRequire(import.meta.url);
const rule = (path: string): typeof ClassValidator =>
  part(`class-validator/cjs/decorator/${path}.js`) as typeof ClassValidator;

export const { ArrayMaxSize } = rule('array/ArrayMaxSize');
export const { IsDefined } = rule('common/IsDefined');
export const { IsIn } = rule('common/IsIn');
export const { IsOptional } = rule('common/IsOptional');
export const { ValidateIf } = rule('common/ValidateIf');
export const { Max } = rule('number/Max');
export const { Min } = rule('number/Min');
export const { IsArray } = rule('typechecker/IsArray');
export const { IsBoolean } = rule('typechecker/IsBoolean');
export const { IsInt } = rule('typechecker/IsInt');
export const { IsNumber } = rule('typechecker/IsNumber');
export const { IsObject } = rule('typechecker/IsObject');
export const { IsString } = rule('typechecker/IsString');

const { Validator } = part('class-validator/cjs/validation/Validator.js') as typeof ClassValidator;
const validator = new Validator();

/** class-validator's own, for objects of decorated classes. */
export function validateSync(
  checked: object,
  options: ClassValidator.ValidatorOptions = {},
): ClassValidator.ValidationError[] {
  return validator.validateSync(checked, options);
}
