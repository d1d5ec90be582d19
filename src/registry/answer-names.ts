import type { MeshNode } from './node.js';

/** Longer names are compared by their beginning. */
const LONGEST_NAME = 256;
/** Learned names of a node; the oldest is forgotten first. */
const MOST_NAMES = 8;
/** A node that answers with a different name each time must not fill the log. */
const MOST_REPORTED = 16;

/**
 * `known`: this node answers with this name. `new`: it never did, which is to be reported. `repeated`: not known, and
 * reported before, or one of too many.
 */
export type NameVerdict = 'known' | 'new' | 'repeated';

/** What one registration of a node was heard to call its model. */
class HeardNames {
  hasAnswered = false;
  reported = 0;
  readonly learned: string[] = [];
  /** Not known until a probe finds the model still listed. */
  readonly pending: string[] = [];

  constructor(readonly incarnation: number) {}
}

/**
 * Which names each node is known to answer with: its model key, its `upstream_model`, the name in its first completed
 * answer, and those that were confirmed later. Kept by the node itself and its incarnation, so that they go with it.
 */
export class AnswerNames {
  private readonly heard = new WeakMap<MeshNode, HeardNames>();

  /**
   * Judges the name in a completed answer, and remembers it. An answer without a name is always known.
   *
   * A name of a self-registered node is known from its second answer on, since no probe can confirm it.
   */
  check(node: MeshNode, name: string | null): NameVerdict {
    if (typeof name !== 'string' || name === '') return 'known';
    const heard = this.of(node);
    const short = shortened(name);
    const isFirst = !heard.hasAnswered;
    heard.hasAnswered = true;
    if (isDeclared(node, short) || heard.learned.includes(short)) return 'known';
    if (isFirst) remember(heard.learned, short);
    return isFirst ? 'known' : this.changed(node, heard, short);
  }

  /** Whether a name would be the first that an answer of the node carries, and is not the one it is declared with. */
  isUnconfirmed(node: MeshNode, name: string): boolean {
    return !isDeclared(node, shortened(name)) && !this.of(node).hasAnswered;
  }

  /** Makes a name known with which the node answered in its present registration. */
  confirm(node: MeshNode, name: string): void {
    const { pending, learned } = this.of(node);
    const short = shortened(name);
    const at = pending.indexOf(short);
    if (at < 0) return;
    pending.splice(at, 1);
    remember(learned, short);
  }

  /** All names that the node is known by; its model key first. */
  namesOf(node: MeshNode): string[] {
    const declared = node.upstreamModel === null ? [node.model] : [node.model, node.upstreamModel];
    return [...declared, ...this.of(node).learned];
  }

  private changed({ source }: MeshNode, heard: HeardNames, name: string): NameVerdict {
    if (heard.pending.includes(name)) return 'repeated';
    remember(source === 'registered' ? heard.learned : heard.pending, name);
    heard.reported += 1;
    return heard.reported > MOST_REPORTED ? 'repeated' : 'new';
  }

  private of(node: MeshNode): HeardNames {
    let heard = this.heard.get(node);
    if (heard?.incarnation !== node.incarnation) {
      heard = new HeardNames(node.incarnation);
      this.heard.set(node, heard);
    }
    return heard;
  }
}

function isDeclared({ model, upstreamModel }: MeshNode, name: string): boolean {
  return name === model || (upstreamModel !== null && name === shortened(upstreamModel));
}

function remember(names: string[], name: string): void {
  names.push(name);
  if (names.length > MOST_NAMES) names.shift();
}

function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  // A copy: a part of a text keeps all of it alive.
  return Buffer.from(name.slice(0, LONGEST_NAME)).toString();
}
