import { NOTHING_DONE, type Call, type CallsService } from '../calls/index.js';
import { NodeFailedError, QueueError, type Deadlines } from '../kernel/index.js';
import type { CallStart } from '../node-speeds/index.js';
import type { Decision, Full, RoutingService } from '../routing/index.js';
import type { CallSettings } from '../settings/index.js';
import { answerFault, routeHeaders } from './answer-headers.js';
import type { AttemptsService } from './attempts.service.js';
import { Failover, isJsonOutOfTime, type SpentAttempt } from './failover.js';
import type { IncomingChat } from './incoming-chat.js';
import { faultEvent } from './relay/fault-event.js';
import { answerEvent } from './relay/refusal.js';
import { StreamPinger } from './relay/stream-pinger.js';
import { askOf } from './request/call-ask.js';
import { headersForClient, TRACKER_HEADER, type HeaderMap } from './request/headers.js';
import type { AttemptFollower, RouteAttempt } from './route-attempt.js';
import type { Trial, TrialsService } from './trials.service.js';
import { toldOf } from './turned-away.service.js';
import type { Applicant, Turn, TurnsService } from './turns.service.js';
import { isLoop } from './upstream/judge.js';

/** Whom a run asks. */
export interface RunRooms {
  readonly settings: CallSettings;
  readonly deadlines: Deadlines;
  readonly routing: RoutingService;
  readonly calls: CallsService;
  readonly turns: TurnsService;
  readonly attempts: AttemptsService;
  readonly trials: TrialsService;
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
  private readonly hasBeenOn: boolean;
  private turn: Turn | null = null;
  private trial: Trial | null = null;
  private number = 0;
  private pinger: StreamPinger | null = null;
  /** Made when there is something to remember. */
  private failover: Failover | null = null;
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
    this.hasBeenOn = request.pin === null && passage.leadingBack.size > 0;
    this.isPlain = request.pin === null && !this.hasBeenOn;
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
  decide(): Decision | Full {
    const { model, ask } = this;
    const { routing } = this.rooms;
    if (!this.hasBeenOn) return routing.decide(model, this.chat.request.pin, ask);
    // Past the nodes that would send it back, if there is such a way.
    return routing.decideAgain(model, this.chat.passage.leadingBack, ask) ?? routing.decide(model, null, ask);
  }

  ended(attempt: RouteAttempt): void {
    try {
      if (this.call.isOpen) void this.goOn(attempt);
      else this.letGo();
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
    attempts.run(this, turn, this.trial, this.number);
  }

  /** An attempt did not serve the client: another one may, or the client is told. */
  private async goOn(spent: RouteAttempt): Promise<void> {
    try {
      const { end, verdict } = spent;
      if (end === null) throw new Error('an attempt that is over has an end');
      this.history().add(spent, { end, verdict });
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
      decide: () => rooms.routing.decideAgain(model, failover.tried, ask),
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
    this.rooms.attempts.close(context, end, verdict, status);
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
        'content-length': String(answer.body.length),
      });
      client.end([answer.body]);
    }
  }
}

const NO_RETRY: HeaderMap = { 'x-should-retry': 'false' };
