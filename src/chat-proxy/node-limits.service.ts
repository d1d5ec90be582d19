import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { contextLimitOf } from './upstream/context-limit.js';

/** What a request asks of a node, as far as a node may not have it. */
export interface Demand {
  readonly model: string;
  readonly path: string;
  readonly bodyBytes: number;
}

interface NodeLimits {
  /** What stands here was true of this endpoint and registration. */
  readonly endpoint: string;
  readonly incarnation: number;
  until: number;
  readonly lacking: Set<string>;
  /** The context's length in tokens, as the node said. */
  contextTokens: number | null;
  /** Requests of so many bytes or more do not fit. */
  tooManyBytes: number;
}

/** A server may be started anew with more room. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 1000;
const NONE: ReadonlySet<MeshNode> = new Set();

/** Remembers, for ten minutes, which nodes lack an endpoint and how large a request they refused. */
@Injectable()
export class NodeLimitsService {
  private readonly limits = new Map<MeshNode, NodeLimits>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Learns from an attempt's end. */
  learn(node: MeshNode, { outcome, answer, message }: AttemptEnd, { path, bodyBytes }: Demand): void {
    if (outcome === 'unsupported') this.of(node)?.lacking.add(path);
    if (outcome !== 'too_long' || answer === null) return;
    const limits = this.of(node);
    if (limits === null) return;
    const { limitTokens, requestTokens } = contextLimitOf(answer.body, message);
    limits.contextTokens = limitTokens ?? limits.contextTokens;
    const isShare = limitTokens !== null && requestTokens !== null && limitTokens < requestTokens;
    limits.tooManyBytes = isShare ? Math.ceil((bodyBytes * limitTokens) / requestTokens) : bodyBytes;
  }

  /** Returns the nodes of a model that cannot serve a request, as far as they have said so. */
  unfit({ model, path, bodyBytes }: Demand): ReadonlySet<MeshNode> {
    if (this.limits.size === 0) return NONE;
    const unfit = new Set<MeshNode>();
    for (const [node, limits] of this.limits) {
      if (!this.stands(node, limits)) this.limits.delete(node);
      else if (node.model === model && (limits.lacking.has(path) || bodyBytes >= limits.tooManyBytes))
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
