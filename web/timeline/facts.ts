import type { TimelineFact } from '../api/types.js';

/** Lanes of the axis, top to bottom. */
export const LANES = ['epochs', 'breakers', 'nodes file'] as const;
export type Lane = (typeof LANES)[number];

export type Shape = 'up' | 'down' | 'diamond' | 'cross' | 'half' | 'ring' | 'square';

/** A fact as it is shown. Each kind has a shape of its own; colour only helps. */
export interface ToldFact {
  readonly lane: Lane;
  readonly shape: Shape;
  readonly tone: 'good' | 'warn' | 'bad' | 'odd' | 'idle' | 'accent';
  /** One glyph for the list. */
  readonly mark: string;
  readonly text: string;
}

/** What became of the mesh by it, node and all. */
const CAUSES: Readonly<Record<string, string>> = {
  registered: 'joined',
  resumed: 'takes chats again',
  resharded: 'serves other layers now',
  deregistered: 'said goodbye',
  lease_expired: 'gave no sign of life, its lease ran out',
  drained: 'was drained, it takes no new chats',
  deleted: 'was deleted by an operator',
  endpoint_taken: 'was replaced by another node at its endpoint',
};

const JOINS = new Set(['registered', 'resumed']);

export function told(fact: TimelineFact): ToldFact {
  switch (fact.type) {
    case 'epoch.bumped':
      return {
        lane: 'epochs',
        ...bumpLook(fact.cause),
        text: `${fact.node_id} ${CAUSES[fact.cause] ?? fact.cause}: epoch ${String(fact.epoch)}`,
      };
    case 'breaker.changed':
      return { lane: 'breakers', ...breakerLook(fact.to), text: `${fact.node_id} ${breakerText(fact)}` };
    case 'node.resting':
      return {
        lane: 'breakers',
        ...restLook(fact.seconds),
        text: `${fact.node_id} ${restText(fact.seconds)}`,
      };
    case 'nodes_file.read':
      return {
        ...{ lane: 'nodes file', shape: 'square', tone: 'good', mark: '■' },
        text: `Nodes file read: ${counted(fact.entries, 'entry', 'entries')}`,
      };
    case 'nodes_file.refused':
      return {
        ...{ lane: 'nodes file', shape: 'cross', tone: 'bad', mark: '✕' },
        text: `Nodes file refused, ${counted(fact.faults, 'fault', 'faults')}: what was read before stays`,
      };
  }
}

function bumpLook(cause: string): Pick<ToldFact, 'shape' | 'tone' | 'mark'> {
  if (JOINS.has(cause)) return { shape: 'up', tone: 'good', mark: '▲' };
  if (cause === 'resharded') return { shape: 'diamond', tone: 'accent', mark: '◆' };
  return { shape: 'down', tone: 'warn', mark: '▼' };
}

function breakerLook(to: string): Pick<ToldFact, 'shape' | 'tone' | 'mark'> {
  if (to === 'open') return { shape: 'cross', tone: 'bad', mark: '✕' };
  if (to === 'half_open') return { shape: 'half', tone: 'warn', mark: '◐' };
  return { shape: 'ring', tone: 'good', mark: '○' };
}

function breakerText({ from, to }: { from: string; to: string }): string {
  if (to === 'open') {
    return from === 'half_open'
      ? 'failed again: its breaker is open'
      : 'kept failing: its breaker opened, no route goes there';
  }
  if (to === 'half_open') return 'is tried again: its breaker is half-open';
  return 'works again: its breaker closed';
}

function restLook(seconds: number): Pick<ToldFact, 'shape' | 'tone' | 'mark'> {
  if (seconds > 0) return { shape: 'half', tone: 'warn', mark: '◔' };
  return { shape: 'ring', tone: 'good', mark: '○' };
}

function restText(seconds: number): string {
  if (seconds === 0) return 'gets chats again: its rest is over';
  return `asked to get no chats for ${String(Math.ceil(seconds))} s`;
}

function counted(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

/** What is listed. Empty stands for all. */
export interface FactFilters {
  readonly lane: Lane | '';
  readonly model: string;
}

/** What concerns no model in particular concerns each. */
export function listed(
  facts: readonly TimelineFact[],
  { lane, model }: FactFilters,
): readonly TimelineFact[] {
  if (lane === '' && model === '') return facts;
  return facts.filter(
    (fact) =>
      (lane === '' || told(fact).lane === lane) &&
      (model === '' || !('model' in fact) || fact.model === model),
  );
}

export function modelsIn(facts: readonly TimelineFact[]): string[] {
  return [...new Set(facts.flatMap((fact) => ('model' in fact ? [fact.model] : [])))].sort();
}

/** Facts have no id; no two of one moment say the same. */
export function factKey(fact: TimelineFact): string {
  return JSON.stringify(fact);
}
