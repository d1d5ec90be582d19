import { NOTHING_DONE, type Call, type CallsService } from '../calls/index.js';
import { NodeFailedError, QueueError, type Deadlines } from '../kernel/index.js';
import type { CallStart } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision, Full, Resting, RoutingService } from '../routing/index.js';
import type { CallSettings } from '../settings/index.js';
import { answerFault, routeHeaders } from './answer-headers.js';
import type { MayFollow } from './attempt-care.service.js';
import type { AttemptsService } from './attempts.service.js';
import { CallVerdicts } from './call-verdicts.js';
import { Failover, isJsonOutOfTime, type SpentAttempt } from './failover.js';
import { demandOf, type IncomingChat } from './incoming-chat.js';
import type { NodeLimitsService } from './node-limits.service.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { faultEvent } from './relay/fault-event.js';
import { answerEvent } from './relay/refusal.js';
import { StreamPinger } from './relay/stream-pinger.js';
import { askOf } from './request/call-ask.js';
import { headersForClient, TRACKER_HEADER, type HeaderMap } from './request/headers.js';
import type { RequestFaultsService } from './request-faults.service.js';
import type { AttemptFollower, RouteAttempt } from './route-attempt.js';
import type { Trial, TrialsService } from './trials.service.js';
import { toldOf } from './turned-away.service.js';
import type { Applicant, Turn, TurnsService } from './turns.service.js';
import { isLoop } from './upstream/classify-response.js';

/** Whom a run asks. */
export interface RunRooms {
  readonly settings: CallSettings;
  readonly deadlines: Deadlines;
  readonly routing: RoutingService;
  readonly calls: CallsService;
  readonly turns: TurnsService;
  readonly attempts: AttemptsService;
  readonly trials: TrialsService;
  readonly limits: NodeLimitsService;
  readonly faults: RequestFaultsService;
}

/**
 * One call on its way, attempt after attempt. What most calls are, one attempt that serves the client, passes by callbacks
 * alone, in the turns of the loop in which the sockets tell; whatever has to wait, or to be tried again, goes on by promises.
 */
export class ChatRun implements Applicant, AttemptFollower {
  readonly model: string;
  readonly isPlain: boolean;
  startedAt = 0;
  private readonly ask: CallStart;
  /** Nodes that would send it back, or have said that they cannot serve it; avoided where that is possible. */
  private readonly avoided: ReadonlySet<MeshNode>;
  private turn: Turn | null = null;
  private trial: Trial | null = null;
  private number = 0;
  private pinger: StreamPinger | null = null;
  /** Made when there is something to remember. */
  private failover: Failover | null = null;
  private verdicts: CallVerdicts | null = null;
  private hasFailed = false;

  constructor(
    private readonly rooms: RunRooms,
    readonly chat: IncomingChat,
    readonly call: Call,
    private readonly onFault: (fault: unknown) => void,
  ) {
    const { request, passage } = chat;
    this.model = request.model;
    this.ask = askOf(request);
    this.avoided =
      request.pin === null
        ? union(
            passage.leadingBack,
            rooms.limits.unfit(demandOf(chat), (model) => rooms.routing.nodesOf(model)),
          )
        : NONE;
    this.isPlain = request.pin === null && this.avoided.size === 0;
  }

  begin(): void {
    try {
      const turn = this.rooms.turns.take(this);
      if (turn === 'full') void this.beginLater();
      else if (turn !== null) this.beginWith(turn);
    } catch (fault) {
      this.failed(fault);
    }
  }

  /** The route of the first attempt. */
  decide(): Decision | Full | Resting {
    const { model, ask } = this;
    const { routing } = this.rooms;
    if (this.avoided.size === 0) return routing.decide(model, this.chat.request.pin, ask);
    return routing.decideAgain(model, this.avoided, ask) ?? routing.decide(model, null, ask);
  }

  ended(attempt: RouteAttempt): void {
    try {
      if (this.call.isOpen) void this.goOn(attempt);
      else this.served();
    } catch (fault) {
      this.failed(fault);
    }
  }

  failed(fault: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    let last = fault;
    try {
      this.letGo();
      // Settled long ago, unless it is this that was thrown over.
      this.turn?.open.abandon();
    } catch (another) {
      last = another;
    }
    this.onFault(last);
  }

  private async beginLater(): Promise<void> {
    try {
      const turn = await this.queued(this);
      if (turn !== null) this.beginWith(turn);
    } catch (fault) {
      this.failed(fault);
    }
  }

  private beginWith(turn: Turn): void {
    // Whatever is thrown from here on, its ticket is given back.
    this.turn = turn;
    const { deadlines, settings } = this.rooms;
    const { request, client } = this.chat;
    const pingMs = request.stream ? settings.streamPingSeconds * 1000 : 0;
    if (pingMs > 0) this.pinger = new StreamPinger(client, deadlines, pingMs, () => this.headers());
    this.startedAt = deadlines.now();
    this.attempt(turn);
  }

  private attempt(turn: Turn): void {
    const { trials, attempts } = this.rooms;
    const { request } = this.chat;
    const { decision } = turn;
    this.turn = turn;
    this.number += 1;
    this.trial = trials.mayBe(request, decision) ? trials.of(request, decision, this.history()) : null;
    this.pinger?.start();
    attempts.run(this, turn, this.trial, this.number, this.mayFollow());
  }

  /** An attempt did not serve the client: another one may, or the client is told. */
  private async goOn(spent: RouteAttempt): Promise<void> {
    try {
      const { end, verdict } = spent;
      if (end === null) throw new Error('an attempt that is over has an end');
      this.history().add(spent, { end, verdict });
      this.judge(spent, end);
      const turn = await this.nextTurn();
      if (turn !== null) this.attempt(turn);
      else {
        this.letGo();
        if (this.call.isOpen) this.giveUp();
      }
    } catch (fault) {
      this.failed(fault);
    }
  }

  /** Another route for the same call; null when there is none left, or none with room in time. */
  private async nextTurn(): Promise<Turn | null> {
    const successor = this.trial?.successor ?? null;
    const failover = this.history();
    if (successor !== null || !failover.mayGoOn()) return successor;
    const { model, ask, rooms } = this;
    const applicant: Applicant = {
      model,
      isPlain: false,
      decide: () => rooms.routing.decideAgain(model, this.excluded(failover), ask),
    };
    const turn = rooms.turns.take(applicant);
    if (turn !== 'full') return turn;
    this.pinger?.pause();
    try {
      return await this.queued(applicant);
    } catch (fault) {
      // What the attempts before came to says more than that the others are full; the call goes on to its end.
      if (fault instanceof QueueError) return null;
      throw fault;
    }
  }

  /** Waits for a node with room. A call whose client leaves meanwhile ends here. */
  private async queued(applicant: Applicant): Promise<Turn | null> {
    const { rooms, call } = this;
    const { client } = this.chat;
    rooms.calls.queued(call);
    const turn = await rooms.turns.wait(applicant, client);
    if (turn === null && client.left) {
      const status = client.begun ? 200 : null;
      rooms.calls.finish(call, { outcome: 'client_left', ...NOTHING_DONE }, { status, cause: null });
    }
    return turn;
  }

  /** Nodes that are not asked again: those tried, and after one that was too small, any that is no larger. */
  private excluded(failover: Failover): ReadonlySet<MeshNode> {
    const tooSmall = failover.spent.filter(({ settled }) => settled.end.outcome === 'too_long');
    if (tooSmall.length === 0) return failover.tried;
    const { limits, routing } = this.rooms;
    const nodes = routing.nodesOf(this.model);
    const noRoomier = tooSmall.flatMap(({ context }) => limits.noRoomier(context.head, nodes));
    return union(failover.tried, new Set(noRoomier));
  }

  private mayFollow(): MayFollow {
    const { failover } = this;
    if (failover !== null)
      return { any: !failover.isAtLast, opinion: !failover.isAtLast && !failover.hasSecondOpinion };
    return this.rooms.settings.maxAttempts > 1 && this.chat.request.pin === null
      ? ANY_MAY_FOLLOW
      : NONE_MAY_FOLLOW;
  }

  /** Looks whether it is the request that fails, and on which nodes a failure is to be counted. */
  private judge({ open, head }: RouteAttempt, end: AttemptEnd): void {
    const { faults } = this.rooms;
    const held = open.charge === null ? null : faults.hold(open.charge);
    if (this.chat.request.pin !== null) return;
    this.verdicts ??= new CallVerdicts();
    const charges = this.verdicts.add(end, head, held);
    if (charges === null) return;
    this.history().isRequests = true;
    faults.requestFailed(this.model, this.call.start.requestId, charges);
  }

  /** Its client has an answer. What other nodes refused meanwhile was not the client's fault: they gave it nothing. */
  private served(): void {
    this.letGo();
    if (this.failover === null) return;
    for (const { context, settled } of this.failover.spent) {
      if (settled.end.outcome === 'refused') context.open.gaveNothing();
    }
  }

  private history(): Failover {
    this.failover ??= new Failover(this.rooms.settings.maxAttempts, this.chat.passage);
    return this.failover;
  }

  /** What a stream begins with that no head has begun. */
  private headers(): HeaderMap {
    const { chat, turn, number } = this;
    return turn === null ? {} : routeHeaders({ chat, decision: turn.decision, number });
  }

  private letGo(): void {
    this.verdicts?.countAll();
    this.pinger?.stop();
    this.trial?.successor?.open.abandon();
  }

  /** No attempt is left: the client gets the most telling head's own answer, else ours. */
  private giveUp(): void {
    const spent = this.history().mostTelling();
    if (spent !== undefined) this.tell(spent);
  }

  private tell(spent: SpentAttempt): void {
    const { client, passage } = this.chat;
    const { context } = spent;
    const { end, verdict } = spent.settled;
    const { answer } = end;
    const fault = end.fault ?? new NodeFailedError('The node failed.', 'node_failed');
    const ours = { chat: this.chat, decision: context.decision, number: this.number };
    const status = client.begun ? 200 : (answer?.status ?? toldOf(fault).status);
    const isRequests = this.failover?.isRequests === true;
    this.rooms.attempts.feedback.close(context, end, verdict, status, isRequests);
    if (client.begun) {
      client.end([answer === null ? faultEvent(fault) : answerEvent(answer)]);
    } else if (answer === null) {
      // A call that ran out of time must not be sent again at once by a library that means well.
      const retry = isJsonOutOfTime(spent) ? NO_RETRY : {};
      answerFault(client, fault, { ...routeHeaders(ours), ...retry });
    } else {
      client.begin(answer.status, {
        ...headersForClient(answer.headers, routeHeaders(ours)),
        // Whoever sent the chat here has to know that it would not get further by this way.
        ...(isLoop(answer) ? { [TRACKER_HEADER]: passage.tracker } : {}),
        // It would fail the same way again.
        ...(isRequests ? NO_RETRY : {}),
        'content-length': String(answer.body.length),
      });
      client.end([answer.body]);
    }
  }
}

const NO_RETRY: HeaderMap = { 'x-should-retry': 'false' };
const NONE: ReadonlySet<MeshNode> = new Set();
const ANY_MAY_FOLLOW: MayFollow = { any: true, opinion: true };
const NONE_MAY_FOLLOW: MayFollow = { any: false, opinion: false };

function union(a: ReadonlySet<MeshNode>, b: ReadonlySet<MeshNode>): ReadonlySet<MeshNode> {
  if (a.size === 0) return b;
  return b.size === 0 ? a : new Set([...a, ...b]);
}
