import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BodyPipe, NO_SNIFF, pathOf, toHttpFault, withLanes, type Lane } from '../http/index.js';
import { InvalidRequestError, LOGGER, MeshnetError, type Logger } from '../kernel/index.js';
import { Heartbeat, isPlainHeartbeat, Registration, RegistryService } from '../registry/index.js';
import { TopologyService } from '../topology/index.js';
import { takeHeartbeat } from './heartbeat-receipt.js';
import { RegistrationDesk } from './registration-desk.js';

const NODES_PATH = '/v1/nodes';
const LEASES_PATH = '/v1/leases/';
const LEASE_PATH = /^\/v1\/leases\/[\w-]+$/;
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;
const MOST_BYTES = 4096;
/** Some clients send it; the ordinary way passes it over too. */
const BYTE_ORDER_MARK = '\ufeff';
const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' };

/** What is answered; null: no body. */
interface Answer {
  readonly status: number;
  readonly body: object | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What nodes themselves say (here I am, still here, goodbye) past Nest and Express: of a thousand nodes heartbeats are
 * the most requests there are, and when a rack comes or goes the others come all at once. Whatever is unusual about
 * one (a compressed, chunked or large body, an encoded path) goes the ordinary way, to the controllers.
 */
@Injectable()
export class NodesLane implements Lane, OnModuleInit {
  private readonly heartbeats = new BodyPipe(Heartbeat);
  private readonly registrations = new BodyPipe(Registration);

  constructor(
    private readonly registry: RegistryService,
    private readonly topology: TopologyService,
    private readonly desk: RegistrationDesk,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openLane(this));
  }

  serves(path: string, { method, headers }: IncomingMessage): boolean {
    if (method === 'PUT') return LEASE_PATH.test(path) && isPlainJson(headers);
    if (method === 'POST') return path === NODES_PATH && isPlainJson(headers);
    return method === 'DELETE' && LEASE_PATH.test(path) && isWithoutBody(headers);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { method } = request;
    if (method === 'DELETE') {
      send(response, this.answerOf(this.goodbye, leaseIdIn(request)));
      return;
    }
    const take = method === 'PUT' ? this.heartbeat(leaseIdIn(request)) : this.registration(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => send(response, this.answerOf(take, textOf(chunks))));
    // A node that breaks off hears nothing anyway.
    request.on('error', () => response.destroy());
  }

  private answerOf(take: (text: string) => Answer, text: string): Answer {
    try {
      return take(text);
    } catch (fault) {
      if (!(fault instanceof MeshnetError)) this.logger.error({ err: fault }, 'http.unexpected_fault');
      return toHttpFault(fault);
    }
  }

  private heartbeat(leaseId: string): (text: string) => Answer {
    return (text) => {
      const body = parsed(text);
      const said = isPlainHeartbeat(body) ? body : this.heartbeats.transform(body);
      return { status: 200, body: takeHeartbeat(this.registry, this.topology, leaseId, said) };
    };
  }

  private registration(request: IncomingMessage): (text: string) => Answer {
    return (text) => {
      const read = (): Registration => this.registrations.transform(parsed(text));
      const { isNew, receipt } = this.desk.take(request, read);
      return { status: isNew ? 201 : 200, body: receipt };
    };
  }

  private readonly goodbye = (leaseId: string): Answer => {
    this.registry.deregister(leaseId);
    return { status: 204, body: null };
  };
}

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= MOST_BYTES &&
    headers['content-encoding'] === undefined &&
    JSON_TYPE.test(headers['content-type'] ?? '')
  );
}

function isWithoutBody(headers: IncomingHttpHeaders): boolean {
  return Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
}

/** Of a path known to be a lease's. */
function leaseIdIn({ url = '' }: IncomingMessage): string {
  return pathOf(url).slice(LEASES_PATH.length);
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only.toString() : Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.', null);
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (body === null) {
    response.writeHead(status, NO_SNIFF).end();
    return;
  }
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...headers, ...NO_SNIFF, ...JSON_BODY, 'content-length': length });
  // At once, as one string: what is still held back when the answer ends goes out as a list, which takes longer.
  response.write(text);
  response.socket?.uncork();
  response.end();
}
