import type { PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { InvalidRequestError } from '../kernel/index.js';

/**
 * A JSON body checked against its class: `@Body(new BodyPipe(Registration))`. Nothing is converted (a number
 * in quotes is no number), fields the class doesn't know are dropped, and a fault names every bad field.
 *
 * @throws InvalidRequestError with the first bad field as `param`
 */
export class BodyPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: new () => T) {}

  transform(body: unknown): T {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new InvalidRequestError('Send a JSON object with Content-Type: application/json.', null);
    }
    const instance = plainToInstance(this.type, body);
    const faults = validateSync(instance, { whitelist: true, stopAtFirstError: true });
    if (faults.length > 0) {
      const told = faults.map(
        (fault) => Object.values(fault.constraints ?? {})[0] ?? `${fault.property} is invalid`,
      );
      throw new InvalidRequestError(`${told.join('; ')}.`, faults[0]?.property ?? null);
    }
    return instance;
  }
}
