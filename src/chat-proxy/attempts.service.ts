import { Inject, Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { Deadlines } from '../kernel/index.js';
import { RegistryService, type MeshNode } from '../registry/index.js';
import type { SampleVerdict } from '../routing-stats/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { attemptError } from '../traces/index.js';
import { routeHeaders } from './answer-headers.js';
import { limitsOf, timeoutFault } from './call-timeouts.js';
import type { AttemptContext } from './incoming-chat.js';
import { LoopsService } from './loops.service.js';
import { Attempt } from './relay/attempt.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { headersForClient, headersForHead } from './request/headers.js';
import { mustAskUsage, upstreamBody } from './request/upstream-body.js';
import { attemptEndingOf, endingOf } from './settlement.js';
import { HeadPoolsService } from './upstream/head-pools.service.js';

/** An attempt that was learned from. */
export interface SettledAttempt {
  readonly end: AttemptEnd;
  readonly verdict: SampleVerdict;
}

/** Stands until the attempt's end is known, which is before anybody can see it. */
const NOT_SETTLED: SampleVerdict = { kind: 'rejected', reason: 'failed' };

/** Runs one attempt: opens the head, relays, learns, and tells the call's record. */
@Injectable()
export class AttemptsService {
  /** Heads that refused a `stream_options` of ours; the node itself is the key, so it goes with the node. */
  private readonly refuseUsage = new WeakSet<MeshNode>();

  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    private readonly deadlines: Deadlines,
    private readonly registry: RegistryService,
    private readonly pools: HeadPoolsService,
    private readonly calls: CallsService,
    private readonly loops: LoopsService,
  ) {}

  /** Whatever is thrown, the ticket is still the caller's to give back. */
  async run(context: AttemptContext): Promise<SettledAttempt> {
    const { call, decision, chat, open } = context;
    this.calls.decided(call, decision);
    const head = headOf(context);
    const asksUsage = mustAskUsage(chat.request) && !this.refuseUsage.has(head);
    // A 400 that may be for what we added is neither the node's fault nor the client's: ask again without.
    const isOurs = (end: AttemptEnd): boolean => asksUsage && isRefusedField(end);
    let verdict: SampleVerdict = NOT_SETTLED;
    const settle = (end: AttemptEnd): void => {
      verdict = open.settle(end);
      if (end.answer !== null) this.loops.learn(head, end.answer, chat.passage);
      const ending = attemptEndingOf(end, decision.route);
      this.calls.attemptEnded(call, ending);
      // A head's own words for a node that is not on the route are nobody's name, and may be anything.
      const { outcome, headStatus, fault, usage } = end;
      const { failedNodeId } = ending;
      call.trace.attemptEnded({ outcome, headStatus, failedNodeId, fault, usage }, verdict);
      const status = chat.client.begun ? 200 : null;
      if (end.isCommitted || end.outcome === 'client_left') this.close(context, { end, verdict }, status);
    };
    const first = await this.attempt(context, asksUsage, (end) => {
      if (!isOurs(end)) settle(end);
    });
    if (!isOurs(first)) return { end: first, verdict };
    const second = await this.attempt(context, false, settle);
    if (second.outcome === 'completed') this.refuseUsage.add(head);
    return { end: second, verdict };
  }

  /**
   * The call is over. Its client gets the last byte after this.
   *
   * @param status what the client is told; null: nothing, it left
   */
  close({ call }: AttemptContext, { end, verdict }: SettledAttempt, status: number | null): void {
    this.calls.finish(call, endingOf(end, verdict), { status, cause: attemptError(end) });
  }

  private attempt(
    context: AttemptContext,
    asksUsage: boolean,
    onSettled: (end: AttemptEnd) => void,
  ): Promise<AttemptEnd> {
    const { chat, decision, call, open } = context;
    const { route } = decision;
    const head = headOf(context);
    const pool = this.pools.of(head.endpoint);
    const body = upstreamBody(chat.request, head.upstreamModel, asksUsage);
    const { headers: access } = this.registry.accessOf(head);
    const attempt = new Attempt({
      nodeId: head.nodeId,
      pool,
      call: {
        path: pool.prefix + chat.path,
        headers: headersForHead(chat.headers, {
          requestId: chat.requestId,
          route,
          via: this.loops.through(chat.headers),
          access,
          trace: call.trace.headers,
          forwarded: chat.forwarded,
        }),
        body,
      },
      client: chat.client,
      deadlines: this.deadlines,
      limits: limitsOf(this.settings, head, context.startedAt),
      // Some heads send usage unasked; whoever didn't ask doesn't get it.
      stripUsage: mustAskUsage(chat.request),
      trial: context.trial,
      clientHeaders: (headers) => headersForClient(headers, routeHeaders(context)),
      timeoutFault: (kind, afterMs) => timeoutFault(kind, afterMs, head, body.length),
      onSign: () => route.hops.forEach(({ node }) => this.registry.touch(node)),
      onHeard: (now, hasContent, isShown) => {
        if (isShown) call.heard(now, hasContent);
        if (hasContent) open.watch?.heardContent(now);
      },
      onSettled,
    });
    open.watch?.follow(attempt);
    return attempt.run();
  }
}

function headOf({ decision }: AttemptContext): MeshNode {
  const [hop] = decision.route.hops;
  if (hop === undefined) throw new Error('a route has at least one hop');
  return hop.node;
}

/** Told by the head's status, or inside a 200. */
function isRefusedField({ answer, isCommitted }: AttemptEnd): boolean {
  return !isCommitted && (answer?.status === 400 || answer?.status === 422);
}
