import { Inject, Injectable } from '@nestjs/common';
import { CallsService, NOTHING_DONE, type Call } from '../calls/index.js';
import { Deadlines, NodeFailedError, QueueError } from '../kernel/index.js';
import type { CallStart } from '../node-speeds/index.js';
import { RoutingService, type Decision, type Full } from '../routing/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { answerFault, routeHeaders } from './answer-headers.js';
import { AttemptsService } from './attempts.service.js';
import { Failover, isJsonOutOfTime, type SpentAttempt } from './failover.js';
import type { AttemptContext, IncomingChat } from './incoming-chat.js';
import { faultEvent } from './relay/fault-event.js';
import { answerEvent } from './relay/refusal.js';
import { StreamPinger } from './relay/stream-pinger.js';
import { askOf } from './request/call-ask.js';
import { headersForClient, TRACKER_HEADER, type HeaderMap } from './request/headers.js';
import { TrialsService, type Trial } from './trials.service.js';
import { toldOf } from './turned-away.service.js';
import { TurnsService, type Applicant, type Turn } from './turns.service.js';
import { isLoop } from './upstream/judge.js';

/** Takes one call from its first route to its end: attempt after attempt until the client has an answer. */
@Injectable()
export class FailoverService {
  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    private readonly deadlines: Deadlines,
    private readonly routing: RoutingService,
    private readonly calls: CallsService,
    private readonly turns: TurnsService,
    private readonly attempts: AttemptsService,
    private readonly trials: TrialsService,
  ) {}

  /** @throws MeshnetError when the call gets no route at all, or waited for one in vain; the client has seen nothing */
  async run(chat: IncomingChat, call: Call): Promise<void> {
    const { model, pin } = chat.request;
    const { leadingBack } = chat.passage;
    const ask = askOf(chat.request);
    const hasBeenOn = pin === null && leadingBack.size > 0;
    const applicant: Applicant = {
      model,
      isPlain: pin === null && !hasBeenOn,
      decide: () => (hasBeenOn ? this.decideOnward(chat, ask) : this.routing.decide(model, pin, ask)),
    };
    const first = this.turns.take(applicant);
    const turn = first === 'full' ? await this.queued(call, applicant, chat) : first;
    if (turn !== null) await this.tryRoutes(chat, call, turn);
  }

  /** Past the nodes that would send it back, if there is such a way. */
  private decideOnward({ request: { model }, passage }: IncomingChat, ask: CallStart): Decision | Full {
    return this.routing.decideAgain(model, passage.leadingBack, ask) ?? this.routing.decide(model, null, ask);
  }

  private async tryRoutes(chat: IncomingChat, call: Call, first: Turn): Promise<void> {
    const failover = new Failover(this.settings.maxAttempts, chat.passage);
    let current: AttemptContext | null = null;
    const headers = (): HeaderMap => (current === null ? {} : routeHeaders(current));
    const pinger = new StreamPinger(chat.client, this.deadlines, this.pingMs(chat), headers);
    let turn: Turn | null = first;
    let trial: Trial | null = null;
    try {
      const startedAt = this.deadlines.now();
      while (turn !== null) {
        const { decision, open } = turn;
        const number = failover.attempts + 1;
        trial = this.trials.of(chat.request, decision, failover);
        const context: AttemptContext = { chat, call, decision, open, trial, number, startedAt };
        current = context;
        pinger.start();
        const settled = await this.attempts.run(context);
        if (!call.isOpen) return;
        failover.add(context, settled);
        turn =
          trial?.successor ?? (failover.mayGoOn() ? await this.nextTurn(chat, call, failover, pinger) : null);
      }
    } finally {
      pinger.stop();
      // Settled long ago, unless something was thrown.
      turn?.open.abandon();
      trial?.successor?.open.abandon();
    }
    if (call.isOpen) this.giveUp(chat, failover.mostTelling(), failover.attempts);
  }

  /** Another route for the same call; null when there is none left, or none with room in time. */
  private async nextTurn(
    chat: IncomingChat,
    call: Call,
    failover: Failover,
    pinger: StreamPinger,
  ): Promise<Turn | null> {
    const { model } = chat.request;
    const ask = askOf(chat.request);
    const applicant: Applicant = {
      model,
      isPlain: false,
      decide: () => this.routing.decideAgain(model, failover.tried, ask),
    };
    const turn = this.turns.take(applicant);
    if (turn !== 'full') return turn;
    pinger.pause();
    try {
      return await this.queued(call, applicant, chat);
    } catch (fault) {
      // What the attempts before came to says more than that the others are full; the call goes on to its end.
      if (fault instanceof QueueError) return null;
      throw fault;
    }
  }

  /** Waits for a node with room. A call whose client leaves meanwhile ends here. */
  private async queued(call: Call, applicant: Applicant, { client }: IncomingChat): Promise<Turn | null> {
    this.calls.queued(call);
    const turn = await this.turns.wait(applicant, client);
    if (turn === null && client.left) {
      const status = client.begun ? 200 : null;
      this.calls.finish(call, { outcome: 'client_left', ...NOTHING_DONE }, { status, cause: null });
    }
    return turn;
  }

  private pingMs({ request }: IncomingChat): number {
    return request.stream ? this.settings.streamPingSeconds * 1000 : 0;
  }

  /** No attempt is left: the client gets the most telling head's own answer, else ours. */
  private giveUp({ client, passage }: IncomingChat, spent: SpentAttempt | undefined, attempts: number): void {
    if (spent === undefined) return;
    const { settled } = spent;
    const context = { ...spent.context, number: attempts };
    const { answer } = settled.end;
    const fault = settled.end.fault ?? new NodeFailedError('The node failed.', 'node_failed');
    this.attempts.close(context, settled, client.begun ? 200 : (answer?.status ?? toldOf(fault).status));
    if (client.begun) {
      client.end([answer === null ? faultEvent(fault) : answerEvent(answer)]);
    } else if (answer === null) {
      // A call that ran out of time must not be sent again at once by a library that means well.
      const retry = isJsonOutOfTime(spent) ? NO_RETRY : {};
      answerFault(client, fault, { ...routeHeaders(context), ...retry });
    } else {
      client.begin(answer.status, {
        ...headersForClient(answer.headers, routeHeaders(context)),
        // Whoever sent the chat here has to know that it would not get further by this way.
        ...(isLoop(answer) ? { [TRACKER_HEADER]: passage.tracker } : {}),
        'content-length': String(answer.body.length),
      });
      client.end([answer.body]);
    }
  }
}

const NO_RETRY: HeaderMap = { 'x-should-retry': 'false' };
