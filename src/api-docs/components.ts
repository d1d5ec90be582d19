import { COMPONENT } from '../openapi/index.js';

/** Schemas by the name under which the document tells them. */
export class Components {
  private readonly byName = new Map<string, unknown>();

  /**
   * What JSON makes of `value`, with a reference wherever a named schema stands.
   *
   * @throws Error when two different schemas have one name
   */
  refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.refer(item));
    if (typeof value !== 'object' || value === null) return value;
    const plain = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.refer(item)]));
    const name: unknown = Reflect.get(value, COMPONENT);
    if (typeof name !== 'string') return plain;
    this.add(name, plain);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** In the order of their names. */
  get schemas(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private add(name: string, schema: object): void {
    const known = this.byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    this.byName.set(name, schema);
  }
}
