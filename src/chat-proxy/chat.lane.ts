import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  callerOf,
  CHAT_PATHS,
  credentialOf,
  givenRequestId,
  isChatPath,
  pathOf,
  withLanes,
  type Lane,
  type LaneRequest,
  type LaneResponse,
} from '../http/index.js';
import {
  CLOCK,
  LOGGER,
  LoopError,
  MeshnetError,
  MethodNotAllowedError,
  randomId,
  ShuttingDownError,
  type Clock,
  type Logger,
} from '../kernel/index.js';
import {
  ACCESS_SETTINGS,
  SERVING_SETTINGS,
  type AccessSettings,
  type ServingSettings,
} from '../settings/index.js';
import { answerFault } from './answer-headers.js';
import { ChatCallsService } from './chat-calls.service.js';
import type { IncomingChat } from './incoming-chat.js';
import { LoopsService } from './loops.service.js';
import { ClientAnswer } from './relay/client-answer.js';
import { parseChatRequest } from './request/chat-request.js';
import { TRACKER_HEADER, type HeaderMap } from './request/headers.js';
import { readBody, type BodyTaker } from './request/read-body.js';

/** Chats come in here, past Nest and Express; whatever goes wrong leaves in OpenAI's shape all the same. */
@Injectable()
export class ChatLane implements Lane, OnModuleInit {
  private isClosed = false;

  constructor(
    @Inject(SERVING_SETTINGS) private readonly settings: ServingSettings,
    @Inject(ACCESS_SETTINGS) private readonly access: AccessSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly chats: ChatCallsService,
    private readonly loops: LoopsService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openLane(this));
  }

  serves(path: string): boolean {
    return isChatPath(path);
  }

  /** From now on chats are refused: the service goes down. Those under way go on. */
  close(): void {
    this.isClosed = true;
  }

  handle(request: LaneRequest, response: LaneResponse): void {
    const requestId = givenRequestId(request.headers) ?? randomId();
    const client = new ClientAnswer(response, this.clock);
    const arrival = new Arrival(this, request, client, requestId);
    try {
      this.checkHead(request, response);
      readBody(request, this.settings.maxBodyBytes, arrival);
    } catch (fault) {
      this.unread(arrival, fault);
    }
  }

  /** Its body is here. */
  arrived(arrival: Arrival, body: Buffer): void {
    let chat: IncomingChat;
    try {
      chat = this.chatOf(arrival, body);
    } catch (fault) {
      this.unread(arrival, fault);
      return;
    }
    this.chats.serve(chat, (fault) => this.failed(arrival, fault));
  }

  /** What can't be read becomes no call; who counts chats has to hear of it all the same. */
  unread(arrival: Arrival, fault: unknown): void {
    try {
      this.chats.unread(arrival.requestId, fault);
    } catch (worse) {
      this.failed(arrival, worse);
      return;
    }
    this.failed(arrival, fault);
  }

  private failed({ client, requestId }: Arrival, fault: unknown): void {
    try {
      this.fail(fault, client, requestId);
    } catch {
      // Nothing is left to say; but nobody may be kept waiting.
      client.break();
    }
  }

  private fail(fault: unknown, client: ClientAnswer, requestId: string): void {
    if (!(fault instanceof MeshnetError)) {
      this.logger.error({ err: fault, request_id: requestId }, 'chat.unexpected_fault');
    } else if (fault.retryAfterSeconds !== null) {
      // Not the client's doing, and no record of a call tells of it: an operator has to see it here.
      this.logger.warn(
        { request_id: requestId, code: fault.code, reason: fault.message },
        'chat.turned_away',
      );
    }
    if (client.begun) client.break();
    else answerFault(client, fault, this.headersOf(fault, requestId));
  }

  private headersOf(fault: unknown, requestId: string): HeaderMap {
    const ours = { 'x-request-id': requestId };
    return fault instanceof LoopError ? { ...ours, [TRACKER_HEADER]: this.loops.tracker } : ours;
  }

  /** Whatever can be said without the body. */
  private checkHead(request: LaneRequest, response: LaneResponse): void {
    if (this.isClosed) {
      response.setHeader('connection', 'close');
      throw new ShuttingDownError();
    }
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new MethodNotAllowedError('Chats are sent with POST.');
    }
    if (this.loops.hasPassed(request.headers)) throw new LoopError();
  }

  private chatOf({ request, client, requestId }: Arrival, body: Buffer): IncomingChat {
    const { headers } = request;
    const caller = callerOf(request);
    // What let it in here is no node's to see.
    const isOwn = caller === null && this.access.forwardAuthorization;
    const forwarded = isOwn ? credentialOf(request) : null;
    const keyName = caller === null ? null : caller.name;
    const asked = parseChatRequest(body);
    const passage = this.loops.passage(headers, asked.model);
    return {
      requestId,
      path: pathFor(request.url ?? ''),
      headers,
      request: asked,
      forwarded,
      keyName,
      client,
      passage,
    };
  }
}

/** A chat that is still coming in. */
class Arrival implements BodyTaker {
  constructor(
    private readonly lane: ChatLane,
    readonly request: LaneRequest,
    readonly client: ClientAnswer,
    readonly requestId: string,
  ) {}

  whole(body: Buffer): void {
    this.lane.arrived(this, body);
  }

  failed(fault: unknown): void {
    this.lane.unread(this, fault);
  }
}

const [CHAT] = CHAT_PATHS;

/** The same place to whoever writes it with a slash at the end, and without the query. */
function pathFor(url: string): string {
  // Nearly always.
  if (url === CHAT) return CHAT;
  const path = pathOf(url);
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
