import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: number | string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number };
}

interface OtlpBatch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

export type SpanKindName = 'internal' | 'server' | 'client';
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span as it reached the collector. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly state: string | null;
  readonly name: string;
  readonly kind: SpanKindName;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
  readonly resource: Attributes;
}

const KINDS: readonly (SpanKindName | null)[] = [null, 'internal', 'server', 'client'];
const ERROR = 2;

/** An OTLP collector that takes JSON, checks its form and keeps what it is sent. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** Everything that came, headers included. */
  text = '';
  private readonly server: Server;

  /** @param status of its answers; null: it never answers */
  constructor(private readonly status: number | null = 200) {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        this.headers.push(request.headers);
        this.text += `${request.method ?? ''} ${request.url ?? ''}\n${request.rawHeaders.join('\n')}\n${body}\n`;
        if (this.status === null) return;
        if (this.status === 200) this.spans.push(...spansOf(JSON.parse(body) as OtlpBatch));
        response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Resolves once a call's own span is here; those below it came before or with it. */
  async callOf(requestId: string): Promise<CollectedCall> {
    return eventually(() => {
      const call = this.spans.find(
        ({ kind, attributes }) => kind === 'server' && attributes['meshnet.request_id'] === requestId,
      );
      if (call === undefined) throw new Error(`no span of ${requestId} came`);
      const below = this.spans.filter(({ parentId }) => parentId === call.spanId);
      return {
        call,
        decisions: below.filter(({ kind }) => kind === 'internal'),
        attempts: below.filter(({ kind }) => kind === 'client'),
      };
    });
  }

  async end(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** The spans of one call, in the order in which they ended. */
export interface CollectedCall {
  readonly call: CollectedSpan;
  readonly decisions: readonly CollectedSpan[];
  readonly attempts: readonly CollectedSpan[];
}

function spansOf({ resourceSpans }: OtlpBatch): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, attributesOf(resource.attributes)))),
  );
}

function spanOf(span: OtlpSpan, resource: Attributes): CollectedSpan {
  const kind = KINDS[span.kind];
  if (kind === undefined || kind === null) throw new Error(`a span of kind ${String(span.kind)}`);
  return {
    traceId: hex(span.traceId, 32),
    spanId: hex(span.spanId, 16),
    parentId: span.parentSpanId === undefined ? null : hex(span.parentSpanId, 16),
    state: span.traceState ?? null,
    name: span.name,
    kind,
    startMs: msOf(span.startTimeUnixNano),
    endMs: msOf(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    isError: span.status.code === ERROR,
    resource,
  };
}

function hex(text: string, length: number): string {
  if (!new RegExp(`^[0-9a-f]{${String(length)}}$`).test(text) || /^0+$/.test(text)) {
    throw new Error(`${text} is no id of ${String(length)} digits`);
  }
  return text;
}

function msOf(nanoseconds: string): number {
  if (!/^\d+$/.test(nanoseconds)) throw new Error(`${nanoseconds} is no time`);
  return Number(BigInt(nanoseconds) / 1000n) / 1000;
}

function attributesOf(attributes: readonly OtlpAttribute[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: OtlpValue): string | number | boolean {
  if ('stringValue' in value) return value.stringValue;
  if ('intValue' in value) return Number(value.intValue);
  return 'doubleValue' in value ? value.doubleValue : value.boolValue;
}
