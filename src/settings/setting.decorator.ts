import 'reflect-metadata';

/** Turns the text of one variable into a value; `undefined` when it can't be read as one. */
export type Reader = (text: string) => unknown;

/** Where one setting comes from, how its text is read and what a fault says of the allowed range. */
export interface SettingSource {
  readonly property: string;
  readonly env: string | null;
  readonly flag: string | null;
  readonly repeatable: boolean;
  /** Completes "must be …" in a fault, and stands in `--help`. */
  readonly range: string;
  readonly help: string;
  readonly read: Reader;
  /** What it is where nobody gave it, if that depends on the rest of its part. */
  readonly unlessGiven: ((part: object) => unknown) | null;
  /** What else has to be set for the value to mean anything. */
  readonly needs: SettingNeed | null;
}

/** What one setting demands of the others of its part. */
export interface SettingNeed {
  readonly isMet: (part: object) => boolean;
  /** Completes "needs …" in a fault. */
  readonly words: string;
}

const SOURCES = Symbol('setting sources');

/** Declares where the decorated property of a settings class is read from. */
export function Setting(source: Partial<SettingSource> & Pick<SettingSource, 'range' | 'help' | 'read'>) {
  return (target: object, property: string): void => {
    const before = sourcesOf(target);
    const whole: SettingSource = {
      env: null,
      flag: null,
      repeatable: false,
      unlessGiven: null,
      needs: null,
      ...source,
      property,
    };
    Reflect.defineMetadata(SOURCES, [...before, whole], target);
  };
}

/** Several decorators as one, for settings that are alike. */
export function together(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** The sources declared on a settings class, in the order of its properties. */
export function sourcesOf(prototype: object): readonly SettingSource[] {
  return (Reflect.getMetadata(SOURCES, prototype) as SettingSource[] | undefined) ?? [];
}
