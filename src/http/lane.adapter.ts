import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';
import express from 'express';
import { ExpressAdapter } from '@nestjs/platform-express';
import { SystemClock, type Clock } from '../kernel/index.js';
import { CHAT_PATHS } from './chat-paths.js';
import { HEADERS_TIMEOUT_MS, RECEIVE_TIMEOUT_MS } from './direct/direct-connection.js';
import { DirectConnections } from './direct/direct-connections.js';
import { refuse, type Gate, type Refusal, type RefusalWatch } from './gate.js';
import { KEEP_ALIVE_TIMEOUT_MS } from './keep-alive.js';
import { HttpRequest, HttpResponse } from './http-messages.js';
import type { Answering, Asked, Lane, LaneRequest, LaneResponse } from './lane.js';
import { OpenAnswers } from './open-answers.js';
import { errorBody } from './openai-error.js';
import { codeOf, refuseUnreadable } from './unreadable-request.js';

const [CHAT] = CHAT_PATHS;

/**
 * Express, and beside it lanes for the paths whose every microsecond counts: Nest and Express cost about
 * 100 µs a request. A lane's owner gets its dependencies by injection and opens the lane when it is up.
 */
export class LaneExpressAdapter extends ExpressAdapter {
  private readonly lanes: Lane[] = [];
  private readonly gates: Gate[] = [];
  private readonly laterGates: Gate[] = [];
  private readonly refusalWatches: RefusalWatch[] = [];
  private readonly answers = new OpenAnswers();
  private serveByExpress: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private listenByNode: (socket: Socket) => void = () => undefined;
  private readonly direct: DirectConnections;

  constructor(private readonly clock: Clock) {
    // Gates judge by the path as it is spelled; Express must not find anything under another spelling.
    super(express().enable('case sensitive routing'));
    // Sockets age by the system's clock, whoever moves the other one: Node's own do.
    this.direct = new DirectConnections(new SystemClock(), {
      serve: (request, response) => this.serveDirect(request, response),
      serveByNode: (socket) => this.listenByNode(socket),
    });
  }

  openLane(lane: Lane): void {
    this.lanes.push(lane);
  }

  /** The first gate to refuse answers. */
  openGate(gate: Gate): void {
    this.gates.push(gate);
  }

  /** A gate that has to know who asks: it is asked behind all others, whichever was opened first. */
  openLaterGate(gate: Gate): void {
    this.laterGates.push(gate);
  }

  watchRefusals(watch: RefusalWatch): void {
    this.refusalWatches.push(watch);
  }

  /** Ends the connections on which nothing is under way. */
  closeIdleConnections(): void {
    if (!this.answers.hasUnsent) this.server.closeIdleConnections();
    this.direct.closeIdle();
  }

  closeAllConnections(): void {
    this.server.closeAllConnections();
    this.direct.closeAll();
  }

  override close(): ReturnType<ExpressAdapter['close']> {
    this.direct.closeAll();
    return super.close();
  }

  override initHttpServer(): void {
    this.serveByExpress = this.getInstance();
    const serve = (request: HttpRequest, response: HttpResponse): void => this.serve(request, response);
    const server = createServer(
      {
        IncomingMessage: HttpRequest,
        ServerResponse: HttpResponse,
        requestTimeout: RECEIVE_TIMEOUT_MS,
        headersTimeout: HEADERS_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        // Nothing here depends on it, and Node's refusal would have no body.
        requireHostHeader: false,
      },
      serve,
    );
    // Whatever else a client expects is passed over.
    server.on('checkExpectation', serve);
    server.on('clientError', (fault, socket) => {
      // Requests before it in the same bytes come first: whoever takes a body hears a tick later that it is whole.
      setImmediate(() => refuseUnreadable(codeOf(fault), socket, this.answers.isAnswering(socket as Socket)));
    });
    // Node's own reading of a connection begins when somebody listens to this.
    const [listen] = server.listeners('connection') as ((socket: Socket) => void)[];
    if (listen !== undefined) {
      server.removeListener('connection', listen);
      this.listenByNode = (socket) => listen.call(server, socket);
      server.on('connection', (socket: Socket) => this.direct.add(socket));
    }
    this.httpServer = server;
  }

  private get server(): Server {
    return this.httpServer;
  }

  private serve(request: HttpRequest, response: HttpResponse): void {
    this.answers.add(request.socket, response);
    const path = this.pathFor(request);
    const refusal = path === null ? ODD_PATH : this.refusalOf(request, path, response);
    if (refusal !== null) {
      refuse(request, response, refusal, this.clock.wallMs());
      return;
    }
    const lane = path === null ? undefined : this.laneFor(path, request);
    if (lane !== undefined) lane.handle(request, response);
    else this.serveByExpress(request, response);
  }

  /** Only what is a lane's: nothing else can be served without Node. */
  private serveDirect(request: LaneRequest & { readonly url: string }, response: LaneResponse): boolean {
    const { url } = request;
    const path = url === CHAT ? CHAT : pathOf(url);
    const lane = isPlainPath(path) ? this.laneFor(path, request) : undefined;
    if (lane === undefined) return false;
    const refusal = this.refusalOf(request, path, response);
    if (refusal === null) lane.handle(request, response);
    else refuse(request, response, refusal, this.clock.wallMs());
    return true;
  }

  /** null: no path that everybody would read in the same way. */
  private pathFor(request: IncomingMessage): string | null {
    const { url = '/' } = request;
    // Nearly all are this one. The constant in its place is known at a glance by all who compare it later.
    if (url === CHAT) return CHAT;
    const origin = originForm(url);
    request.url = origin;
    const path = pathOf(origin);
    return isPlainPath(path) ? path : null;
  }

  private laneFor(path: string, request: LaneRequest): Lane | undefined {
    for (const lane of this.lanes) if (lane.serves(path, request)) return lane;
    return undefined;
  }

  private refusalOf(request: Asked, path: string, response: Answering): Refusal | null {
    const refusal =
      firstRefusal(this.gates, request, path, response) ??
      firstRefusal(this.laterGates, request, path, response);
    if (refusal === null) return null;
    return this.refusalWatches.reduce((told, watch) => watch.refused(request, path, told), refusal);
  }
}

/** Tells the app's adapter of a lane or gate; one of another kind, which some test brings, has neither. */
export function withLanes(
  { httpAdapter }: HttpAdapterHost,
  tell: (adapter: LaneExpressAdapter) => void,
): void {
  const adapter: unknown = httpAdapter;
  if (adapter instanceof LaneExpressAdapter) tell(adapter);
}

function firstRefusal(
  gates: readonly Gate[],
  request: Asked,
  path: string,
  response: Answering,
): Refusal | null {
  for (const gate of gates) {
    const refusal = gate.admit(request, path, response);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** `http://host/path`, as proxies are asked, is `/path` (RFC 9112, 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = /^https?:\/\/[^/?#]*/i.exec(url);
  return path === null ? url : url.slice(path[0].length).replace(/^(?!\/)/, '/');
}

/** Anything else in a path would be folded, cut off or turned round by the parser that Express asks. */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !/[^!-~]|[#\\]/.test(path);
}

const ODD_PATH: Refusal = {
  status: 400,
  headers: {},
  body: errorBody(
    400,
    'A path begins with a slash and is written in visible ASCII, the rest percent-encoded.',
    null,
    'invalid_request',
  ),
};

/** What a request asks for, without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
