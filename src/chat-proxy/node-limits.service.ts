import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { contextLimitOf, promptTokensOf, speaksOfAnswer } from './upstream/context-limit.js';

/** What a request asks of a node, as far as a node may not have it. */
export interface Demand {
  readonly model: string;
  readonly path: string;
  readonly bodyBytes: number;
  /** It holds images or audio, whose bytes say little of their tokens. */
  readonly hasMedia: boolean;
}

interface NodeLimits {
  /** What stands here was true of this endpoint and registration. */
  readonly endpoint: string;
  readonly incarnation: number;
  until: number;
  readonly lacking: Set<string>;
  /** The context's length in tokens, as the node said. */
  contextTokens: number | null;
  /** Requests of at least this many bytes do not fit. */
  tooManyBytes: number;
}

/** A server may be started anew with more room. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 1000;
const NONE: ReadonlySet<MeshNode> = new Set();
const NO_NODES = (): readonly MeshNode[] => [];
/** A shorter request fits any context, and holds no images or audio worth the name. */
export const LONG_BYTES = 4096;
/** Hardly any text has more bytes a token than that. */
const MOST_BYTES_A_TOKEN = 8;

/** Remembers, for ten minutes, which nodes lack an endpoint and how large a request they refused. */
@Injectable()
export class NodeLimitsService {
  private readonly limits = new Map<MeshNode, NodeLimits>();
  /** The longest request in bytes that each node served. A message may quote its client, so it cannot deny this. */
  private readonly longest = new WeakMap<MeshNode, number>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Notes a request that a node served. */
  served(node: MeshNode, { bodyBytes }: Pick<Demand, 'bodyBytes'>): void {
    if (bodyBytes > this.longestOf(node)) this.longest.set(node, bodyBytes);
  }

  /** Learns from an attempt's end. */
  learn(node: MeshNode, { outcome, answer, message }: AttemptEnd, demand: Demand): void {
    const { path, bodyBytes } = demand;
    if (outcome === 'unsupported') this.of(node)?.lacking.add(path);
    if (outcome !== 'too_long' || answer === null) return;
    const limits = this.of(node);
    if (limits === null) return;
    const limit = contextLimitOf(answer.body, message);
    limits.contextTokens = limit.limitTokens ?? limits.contextTokens;
    if (answer.status !== 413 && demand.hasMedia) return;
    const isPrompts = !speaksOfAnswer(message);
    const promptTokens = promptTokensOf(answer.body, message) ?? (isPrompts ? limit.requestTokens : null);
    const bytes = tooManyBytes(bodyBytes, limit.limitTokens, promptTokens);
    const most = answer.status === 413 || isPrompts ? Math.min(bytes, bodyBytes) : bytes;
    limits.tooManyBytes = Math.min(limits.tooManyBytes, most);
  }

  /**
   * Returns the nodes of a model that cannot serve a request, as far as they have said so.
   *
   * @param nodesOf the nodes of the model; asked for only where the request is long
   */
  unfit(demand: Demand, nodesOf: (model: string) => readonly MeshNode[] = NO_NODES): ReadonlySet<MeshNode> {
    const { model, path, bodyBytes } = demand;
    const tooShort =
      bodyBytes > LONG_BYTES ? nodesOf(model).filter((node) => this.isTooShort(node, bodyBytes)) : [];
    if (this.limits.size === 0 && tooShort.length === 0) return NONE;
    const unfit = new Set(tooShort.length > 0 && !demand.hasMedia ? tooShort : []);
    for (const [node, limits] of this.limits) {
      if (!this.stands(node, limits)) this.limits.delete(node);
      else if (node.model === model && (limits.lacking.has(path) || this.isTooLong(node, limits, bodyBytes)))
        unfit.add(node);
    }
    return unfit;
  }

  /** Returns the nodes among `nodes` whose context is known to be no longer than that of the one that refused. */
  noRoomier(refused: MeshNode, nodes: readonly MeshNode[]): readonly MeshNode[] {
    const limit = this.contextTokens(refused);
    if (limit === null) return [];
    return nodes.filter((node) => (this.contextTokens(node) ?? Infinity) <= limit);
  }

  private isTooLong(node: MeshNode, { tooManyBytes: most }: NodeLimits, bodyBytes: number): boolean {
    return bodyBytes >= most && bodyBytes > this.longestOf(node);
  }

  private longestOf(node: MeshNode): number {
    return this.longest.get(node) ?? 0;
  }

  private isTooShort(node: MeshNode, bodyBytes: number): boolean {
    if (bodyBytes <= this.longestOf(node)) return false;
    return bodyBytes > (this.contextTokens(node) ?? Infinity) * MOST_BYTES_A_TOKEN;
  }

  private contextTokens(node: MeshNode): number | null {
    const limits = this.limits.get(node);
    const told = limits !== undefined && this.stands(node, limits) ? limits.contextTokens : null;
    return told ?? node.contextTokens;
  }

  private of(node: MeshNode): NodeLimits | null {
    const known = this.limits.get(node);
    const until = this.clock.now() + REMEMBERED_MS;
    if (known !== undefined && this.stands(node, known)) {
      known.until = until;
      return known;
    }
    if (this.limits.size >= MOST_REMEMBERED) return null;
    const { endpoint, incarnation } = node;
    const fresh = {
      endpoint,
      incarnation,
      until,
      lacking: new Set<string>(),
      contextTokens: null,
      tooManyBytes: Infinity,
    };
    this.limits.set(node, fresh);
    return fresh;
  }

  private stands(node: MeshNode, { endpoint, incarnation, until }: NodeLimits): boolean {
    return (
      node.present &&
      node.endpoint === endpoint &&
      node.incarnation === incarnation &&
      this.clock.now() < until
    );
  }
}

/**
 * Returns from which length in bytes on requests do not fit; Infinity where that is not known. Only a prompt that is too
 * long by itself says something of other requests: the answer's length is each client's wish.
 */
function tooManyBytes(bodyBytes: number, limitTokens: number | null, promptTokens: number | null): number {
  if (limitTokens === null || promptTokens === null || promptTokens < limitTokens) return Infinity;
  return Math.ceil((bodyBytes * limitTokens) / promptTokens);
}
