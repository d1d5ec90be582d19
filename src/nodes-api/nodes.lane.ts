import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BodyPipe, LaneExpressAdapter, toHttpFault, type Lane } from '../http/index.js';
import { InvalidRequestError, LOGGER, MeshnetError, type Logger } from '../kernel/index.js';
import { Heartbeat, RegistryService } from '../registry/index.js';
import { TopologyService } from '../topology/index.js';
import { takeHeartbeat } from './heartbeat-receipt.js';

const LEASE_PATH = /^\/v1\/leases\/([\w-]+)$/;
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;
const MOST_BYTES = 4096;

/**
 * Heartbeats past Nest and Express: of a thousand nodes they are the most requests there are. Whatever is unusual
 * about one (another method, a compressed or chunked body, an encoded path) goes the ordinary way, to the
 * controller.
 */
@Injectable()
export class LeaseLane implements Lane, OnModuleInit {
  private readonly heartbeats = new BodyPipe(Heartbeat);

  constructor(
    private readonly registry: RegistryService,
    private readonly topology: TopologyService,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const adapter: unknown = this.adapterHost.httpAdapter;
    if (adapter instanceof LaneExpressAdapter) adapter.openLane(this);
  }

  serves(path: string, { method, headers }: IncomingMessage): boolean {
    return method === 'PUT' && LEASE_PATH.test(path) && isPlainJson(headers);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.answer(request.url ?? '', Buffer.concat(chunks).toString(), response));
    // A node that breaks off hears nothing anyway.
    request.on('error', () => response.destroy());
  }

  private answer(url: string, text: string, response: ServerResponse): void {
    try {
      const [path = ''] = url.split('?');
      const leaseId = LEASE_PATH.exec(path)?.[1] ?? '';
      const report = this.heartbeats.transform(parsed(text));
      send(response, 200, takeHeartbeat(this.registry, this.topology, leaseId, report));
    } catch (fault) {
      if (!(fault instanceof MeshnetError)) this.logger.error({ err: fault }, 'http.unexpected_fault');
      const { status, headers, body } = toHttpFault(fault);
      send(response, status, body, headers);
    }
  }
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.', null);
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      ...headers,
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}
