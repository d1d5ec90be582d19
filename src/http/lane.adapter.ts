import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';
import express from 'express';
import { ExpressAdapter } from '@nestjs/platform-express';
import { CHAT_PATHS } from './chat-paths.js';
import { refuse, type Gate, type Refusal, type RefusalWatch } from './gate.js';
import { KEEP_ALIVE_TIMEOUT_MS } from './keep-alive.js';
import { LaneRequest, LaneResponse } from './lane-messages.js';
import { OpenAnswers } from './open-answers.js';
import { errorBody } from './openai-error.js';
import { refuseUnreadable } from './unreadable-request.js';

/** Takes a request away from Nest and Express. */
export interface Lane {
  /** Whether a request is the lane's; `path` is its path without query. */
  serves(path: string, request: IncomingMessage): boolean;
  handle(request: LaneRequest, response: LaneResponse): void;
}

/** Receiving a request may take this long, headers and body; how long answering takes is not limited here. */
const RECEIVE_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 60_000;

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

  constructor() {
    // Gates judge by the path as it is spelled; Express must not find anything under another spelling.
    super(express().enable('case sensitive routing'));
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

  /** See {@link OpenAnswers.hasUnsent}. */
  get hasUnsent(): boolean {
    return this.answers.hasUnsent;
  }

  override initHttpServer(): void {
    this.serveByExpress = this.getInstance();
    const serve = (request: LaneRequest, response: LaneResponse): void => this.serve(request, response);
    const server = createServer(
      {
        IncomingMessage: LaneRequest,
        ServerResponse: LaneResponse,
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
    server.on('clientError', (fault, socket) =>
      refuseUnreadable(fault, socket, this.answers.isAnswering(socket as Socket)),
    );
    this.httpServer = server;
  }

  private serve(request: LaneRequest, response: LaneResponse): void {
    this.answers.add(request.socket, response);
    const path = this.pathFor(request);
    const refusal = path === null ? ODD_PATH : this.refusalOf(request, path, response);
    if (refusal !== null) {
      refuse(request, response, refusal);
      return;
    }
    const lane = path === null ? undefined : this.laneFor(path, request);
    if (lane !== undefined) lane.handle(request, response);
    else this.serveByExpress(request, response);
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

  private laneFor(path: string, request: IncomingMessage): Lane | undefined {
    for (const lane of this.lanes) if (lane.serves(path, request)) return lane;
    return undefined;
  }

  private refusalOf(request: IncomingMessage, path: string, response: ServerResponse): Refusal | null {
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
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
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
