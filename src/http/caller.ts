import type { Asked } from './lane.js';

/** Who has shown a key, by the name that the operator gave it. */
export interface Caller {
  readonly role: CallerRole;
  readonly name: string;
}

export type CallerRole = 'client' | 'node' | 'admin';

const CALLER = Symbol('caller');

interface Known {
  [CALLER]?: Caller;
}

export function setCaller(request: Asked, caller: Caller): void {
  (request as Known)[CALLER] = caller;
}

/** null: nobody in particular. */
export function callerOf(request: Asked): Caller | null {
  return (request as Known)[CALLER] ?? null;
}
