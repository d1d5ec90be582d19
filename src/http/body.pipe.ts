import type { PipeTransform } from '@nestjs/common';
import { validateSync, InvalidRequestError } from '../kernel/index.js';

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
    const instance = this.filled(body);
    const faults = validateSync(instance, { whitelist: true, stopAtFirstError: true });
    if (faults.length > 0) {
      const told = faults.map(
        (fault) => Object.values(fault.constraints ?? {})[0] ?? `${fault.property} is invalid`,
      );
      throw new InvalidRequestError(`${told.join('; ')}.`, faults[0]?.property ?? null);
    }
    return instance;
  }

  /**
   * Fields are taken over as they are: our bodies are flat, and to walk into what a client nested thousands deep
   * would overflow the stack. What every object has (`constructor`, `__proto__`) is no field.
   */
  private filled(body: object): T {
    const instance = new this.type();
    for (const [field, value] of Object.entries(body)) {
      if (!(field in Object.prototype)) Reflect.set(instance, field, value);
    }
    return instance;
  }
}
