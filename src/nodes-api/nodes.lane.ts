import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  BodyPipe,
  jsonBody,
  NO_SNIFF,
  pathOf,
  toHttpFault,
  withLanes,
  type BodySink,
  type Lane,
  type LaneRequest,
  type LaneResponse,
} from '../http/index.js';
import {
  CLOCK,
  InvalidRequestError,
  LOGGER,
  MeshnetError,
  type Clock,
  type Logger,
} from '../kernel/index.js';
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
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openLane(this));
  }

  serves(path: string, request: LaneRequest): boolean {
    const { method } = request;
    if (method === 'PUT') return LEASE_PATH.test(path) && isPlainJson(request);
    if (method === 'POST') return path === NODES_PATH && isPlainJson(request);
    return method === 'DELETE' && LEASE_PATH.test(path) && isWithoutBody(request);
  }

  handle(request: LaneRequest, response: LaneResponse): void {
    const { method } = request;
    if (method === 'DELETE') {
      this.send(response, this.answerOf(this.goodbye, leaseIdIn(request)));
      return;
    }
    const take = method === 'PUT' ? this.heartbeat(leaseIdIn(request)) : this.registration(request);
    const answer = (text: string): void => this.send(response, this.answerOf(take, text));
    request.takeBody(new BodyText(answer, response));
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

  private registration(request: LaneRequest): (text: string) => Answer {
    return (text) => {
      const read = (): Registration => this.registrations.transform(parsed(text));
      const { isNew, receipt } = this.desk.take(request, read);
      return { status: isNew ? 201 : 200, body: receipt };
    };
  }

  private send(response: LaneResponse, { status, headers, body }: Answer): void {
    const { text, headers: ofBody } = jsonBody(body);
    response.begin(status, { ...headers, ...NO_SNIFF, ...ofBody }, this.clock.wallMs());
    response.endWith(text);
  }

  private readonly goodbye = (leaseId: string): Answer => {
    this.registry.deregister(leaseId);
    return { status: 204, body: null };
  };
}

/** Small bodies, which come in one part mostly. */
class BodyText implements BodySink {
  private readonly parts: Buffer[] = [];

  constructor(
    private readonly take: (text: string) => void,
    private readonly response: LaneResponse,
  ) {}

  onBodyPart(bytes: Buffer): void {
    this.parts.push(bytes);
  }

  onBodyEnd(): void {
    this.take(textOf(this.parts));
  }

  /** A node that breaks off hears nothing anyway. */
  onBodyBroken(): void {
    this.response.break();
  }
}

function isPlainJson({ declaredLength, headers }: LaneRequest): boolean {
  return (
    declaredLength !== null &&
    declaredLength > 0 &&
    declaredLength <= MOST_BYTES &&
    headers['content-encoding'] === undefined &&
    JSON_TYPE.test(headers['content-type'] ?? '')
  );
}

function isWithoutBody({ declaredLength, headers }: LaneRequest): boolean {
  return (declaredLength ?? 0) === 0 && headers['transfer-encoding'] === undefined;
}

/** Of a path known to be a lease's. */
function leaseIdIn({ url = '' }: LaneRequest): string {
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
