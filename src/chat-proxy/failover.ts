import type { MeshNode } from '../registry/index.js';
import type { AttemptContext } from './incoming-chat.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import type { SettledAttempt } from './attempts.service.js';
import type { Passage } from './loops.service.js';
import { blamedNode } from './settlement.js';
import { isLoop } from './upstream/classify-response.js';

const FROM_CLIENT = { hops: 0, leadingBack: new Set<MeshNode>() };

/** An attempt that did not serve the client, with what it was. */
export interface SpentAttempt {
  readonly context: AttemptContext;
  readonly settled: SettledAttempt;
}

/** Outcomes that another route need not share. */
const ON_TO_NEXT: ReadonlySet<AttemptEnd['outcome']> = new Set([
  'failed',
  'busy',
  'misconfigured',
  'cut_off',
  'unsupported',
]);

/** What a call has tried so far, and what follows from it. */
export class Failover {
  /** Nodes that failed or refused this call, or would send it back. */
  readonly tried: Set<MeshNode>;
  /** Routes that were too slow for this call; of their nodes nothing is held against any. */
  readonly abandoned = new Set<string>();
  /** Two nodes of different owners answered alike: the request is at fault, and no third is asked. */
  isRequests = false;
  readonly spent: SpentAttempt[] = [];
  private firstByteTimeouts = 0;
  private loops = 0;
  private readonly mostAttempts: number;
  private readonly mostLoops: number;

  constructor(
    mostAttempts: number,
    { hops, leadingBack }: Pick<Passage, 'hops' | 'leadingBack'> = FROM_CLIENT,
  ) {
    this.mostAttempts = Math.max(1, mostAttempts - hops);
    // Of ways back as many more: they take no time, and nobody in front would try the others.
    this.mostLoops = hops === 0 ? mostAttempts : 0;
    this.tried = new Set(leadingBack);
  }

  add(context: AttemptContext, settled: SettledAttempt): void {
    const { end } = settled;
    const { route, signature } = context.decision;
    if (end.outcome === 'abandoned') this.abandoned.add(signature);
    else {
      const blamed = blamedNode(end, route);
      if (blamed !== null) this.tried.add(blamed);
    }
    if (end.answer !== null && isLoop(end.answer)) this.loops += 1;
    if (end.timeout === 'first_byte') this.firstByteTimeouts += 1;
    this.spent.push({ context, settled });
  }

  get attempts(): number {
    return this.spent.length;
  }

  private get counted(): number {
    return this.spent.length - Math.min(this.loops, this.mostLoops);
  }

  /** Whether nothing can follow the attempt under way. */
  get isAtLast(): boolean {
    return this.counted + 1 >= this.mostAttempts;
  }

  /** Whether another route was asked because a node without recent completions refused, or gave nothing. */
  get hasSecondOpinion(): boolean {
    return this.count('refused') + this.count('empty') > 0;
  }

  /** Whether another route may try: the client has seen nothing, and what happened may not happen there. */
  mayGoOn(): boolean {
    const last = this.spent.at(-1);
    if (last === undefined) return true;
    const { chat, trial } = last.context;
    if (chat.request.pin !== null || this.isRequests || this.counted >= this.mostAttempts) return false;
    // Silent after first words that nobody has seen: they were held.
    if ((trial !== null || last.context.terms.holdsWhole) && last.settled.end.timeout === 'idle') return true;
    return this.isWorthRetrying(last);
  }

  /** Of several failed attempts the one whose answer says most to the client. */
  mostTelling(): SpentAttempt | undefined {
    const newestFirst = [...this.spent].reverse();
    const [last] = newestFirst;
    if (last !== undefined && (this.isRequests || isJsonOutOfTime(last))) return last;
    const having = (is: (end: AttemptEnd) => boolean): SpentAttempt | undefined =>
      newestFirst.find(({ settled }) => is(settled.end));
    return (
      having(({ outcome }) => outcome === 'empty') ??
      having(({ outcome }) => outcome === 'refused') ??
      having(({ outcome }) => outcome === 'too_long') ??
      having(({ outcome, answer }) => outcome === 'busy' && answer !== null) ??
      having(({ answer }) => answer !== null) ??
      having(({ outcome }) => outcome === 'timed_out') ??
      last
    );
  }

  private isWorthRetrying({ context, settled: { end } }: SpentAttempt): boolean {
    const { outcome, timeout } = end;
    if (timeout === 'first_byte') {
      // An answer that may have been almost ready is not asked for twice, unless the node has given none lately.
      return (context.chat.request.stream || context.isFailing) && this.firstByteTimeouts === 1;
    }
    if (timeout !== null) return timeout === 'connect';
    if (ON_TO_NEXT.has(outcome)) return true;
    if (outcome === 'too_long') return this.count('too_long') === 1;
    const isOpinion = outcome === 'refused' || outcome === 'empty';
    return isOpinion && context.isUnproven && this.count('refused') + this.count('empty') === 1;
  }

  private count(outcome: AttemptEnd['outcome']): number {
    return this.spent.filter(({ settled }) => settled.end.outcome === outcome).length;
  }
}

/** An answer that may have been almost ready: asking again would double the work. */
export function isJsonOutOfTime({ context, settled }: SpentAttempt): boolean {
  return settled.end.timeout === 'first_byte' && !context.chat.request.stream;
}
