import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type Asked,
  type Answering,
  callerOf,
  givenRequestId,
  isChatPath,
  toHttpFault,
  withLanes,
  type Gate,
  type Refusal,
} from '../http/index.js';
import { CLOCK, EventBus, randomId, type Clock, type RateLimitedError } from '../kernel/index.js';
import { LIMIT_SETTINGS, type LimitSettings } from '../settings/index.js';
import { CallerAllowance } from './caller-allowance.js';
import { Latest } from './latest.js';
import { sourceNetworkOf } from './source-network.js';

const MOST_CALLERS = 10_000;

/** In front of chats, once it is known who asks: so many at once and so many a minute, each caller for itself. */
@Injectable()
export class ChatLimitGate implements Gate, OnModuleInit {
  private readonly byKey: Latest<CallerAllowance>;
  /** Apart, so that no number of strangers makes a key's count be forgotten. */
  private readonly byNetwork: Latest<CallerAllowance>;

  constructor(
    @Inject(LIMIT_SETTINGS) private readonly settings: LimitSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: EventBus,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    const begin = (): CallerAllowance => new CallerAllowance(settings);
    this.byKey = new Latest(MOST_CALLERS, begin);
    this.byNetwork = new Latest(MOST_CALLERS, begin);
  }

  onModuleInit(): void {
    const { concurrentCalls, requestsPerMinute } = this.settings;
    const isOn = concurrentCalls > 0 || requestsPerMinute > 0;
    if (isOn) withLanes(this.adapterHost, (adapter) => adapter.openLaterGate(this));
  }

  admit(request: Asked, path: string, response: Answering): Refusal | null {
    if (request.method !== 'POST' || !isChatPath(path)) return null;
    const allowance = this.allowanceOf(request);
    const nowMs = this.clock.now();
    const fault = allowance.take(nowMs);
    const headers = allowance.headers(nowMs);
    if (fault !== null) return this.turnAway(request, fault, headers);
    for (const name in headers) response.setHeader(name, headers[name] ?? '');
    response.onceClosed(() => allowance.giveBack());
    return null;
  }

  private allowanceOf(request: Asked): CallerAllowance {
    const caller = callerOf(request);
    return caller === null
      ? this.byNetwork.of(sourceNetworkOf(request.socket.remoteAddress))
      : this.byKey.of(`${caller.role} ${caller.name}`);
  }

  /** It becomes no call; who counts chats hears of it all the same. */
  private turnAway(request: Asked, fault: RateLimitedError, more: Refusal['headers']): Refusal {
    const requestId = givenRequestId(request.headers) ?? randomId();
    const { status, headers, body } = toHttpFault(fault);
    const told = { model: null, code: fault.code, status, at: this.clock.wallMs() };
    this.bus.publish('chat.turned_away', { request_id: requestId, ...told });
    return { status, body, headers: { ...headers, ...more, 'x-request-id': requestId } };
  }
}
