import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  callerOf,
  credentialOf,
  givenRequestId,
  isChatPath,
  pathOf,
  withLanes,
  type Lane,
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
import { readBody } from './request/read-body.js';

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

  handle(request: IncomingMessage, response: ServerResponse): void {
    const requestId = givenRequestId(request.headers) ?? randomId();
    const client = new ClientAnswer(response, this.clock);
    const failed = (fault: unknown): void => this.failed(fault, client, requestId);
    this.read(request, response, client, requestId).then(
      (chat) => this.chats.serve(chat, failed),
      (fault: unknown) => failed(this.unread(requestId, fault)),
    );
  }

  /** @returns what is to be told: this, or what was thrown on the way */
  private unread(requestId: string, fault: unknown): unknown {
    try {
      this.chats.unread(requestId, fault);
      return fault;
    } catch (another) {
      return another;
    }
  }

  private failed(fault: unknown, client: ClientAnswer, requestId: string): void {
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

  /** What can't be read becomes no call; who counts chats has to hear of it all the same. */
  private async read(
    request: IncomingMessage,
    response: ServerResponse,
    client: ClientAnswer,
    requestId: string,
  ): Promise<IncomingChat> {
    if (this.isClosed) {
      response.setHeader('connection', 'close');
      throw new ShuttingDownError();
    }
    const { headers } = request;
    const path = withoutSlash(pathOf(request.url ?? ''));
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new MethodNotAllowedError('Chats are sent with POST.');
    }
    if (this.loops.hasPassed(headers)) throw new LoopError();
    const body = await readBody(request, this.settings.maxBodyBytes);
    const caller = callerOf(request);
    // What let it in here is no node's to see.
    const isOwn = caller === null && this.access.forwardAuthorization;
    const forwarded = isOwn ? credentialOf(request) : null;
    const keyName = caller?.name ?? null;
    const asked = parseChatRequest(body);
    const passage = this.loops.passage(headers, asked.model);
    return {
      requestId,
      path,
      headers,
      request: asked,
      forwarded,
      keyName,
      client,
      passage,
    };
  }
}

/** The same place, to whoever writes it so. */
function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
