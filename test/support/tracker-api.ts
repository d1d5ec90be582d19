import type { ClientRequest } from 'node:http';
import type { CallRecord } from '../../src/calls/index.js';
import type { NodeRow } from '../../src/nodes-api/index.js';
import type { ModelRouting } from '../../src/routing/routing-table.service.js';
import type { RoutingRow } from '../../src/routing/routing-table.js';
import { jsonOf, open, send, start, type OpenReply, type Outgoing, type Reply } from './http-client.js';

export interface Registered {
  readonly node_id: string;
  readonly lease_id: string;
  readonly epoch: number;
  readonly heartbeat_seconds: number;
  readonly expires_in_seconds: number;
}

export interface ChatOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly path?: string;
}

/** What clients, nodes and operators ask of a tracker, over HTTP. */
export class TrackerApi {
  constructor(readonly url: string) {}

  get(path: string): Promise<Reply> {
    return send(this.url + path);
  }

  ask(method: string, path: string, body?: Outgoing['body']): Promise<Reply> {
    return send(this.url + path, { method, ...(body === undefined ? {} : { body }) });
  }

  chat(body: string | Buffer | object, { headers = {}, path = CHATS }: ChatOptions = {}): Promise<Reply> {
    return send(this.url + path, { method: 'POST', headers, body });
  }

  /** A chat whose body comes piece by piece. */
  chatInChunks(chunks: readonly (string | Buffer)[]): Promise<Reply> {
    return send(this.url + CHATS, { method: 'POST', chunks });
  }

  /** A chat whose answer has only begun. */
  openChat(body: object, { headers = {}, path = CHATS }: ChatOptions = {}): Promise<OpenReply> {
    return open(this.url + path, { method: 'POST', headers, body });
  }

  /** A chat of which no answer is awaited; destroying it hangs up. */
  startChat(body: string | object, { headers = {}, path = CHATS }: ChatOptions = {}): ClientRequest {
    return start(this.url + path, { method: 'POST', headers, body });
  }

  async register(body: object): Promise<Registered> {
    const reply = await this.ask('POST', '/v1/nodes', body);
    if (reply.status > 201) throw new Error(`registration got ${String(reply.status)}: ${reply.text}`);
    return jsonOf(reply) as Registered;
  }

  async nodes(): Promise<NodeRow[]> {
    return (jsonOf(await this.get('/v1/nodes')) as { data: NodeRow[] }).data;
  }

  async node(nodeId: string): Promise<NodeRow> {
    const row = (await this.nodes()).find(({ node_id }) => node_id === nodeId);
    if (row === undefined) throw new Error(`there is no node ${nodeId}`);
    return row;
  }

  async routing(model: string): Promise<ModelRouting> {
    const reply = await this.get(`/v1/routing?model=${encodeURIComponent(model)}`);
    const [table] = (jsonOf(reply) as { models: ModelRouting[] }).models;
    if (table === undefined) throw new Error(`there is no table of ${model}`);
    return table;
  }

  /** The candidate whose hops are these nodes. */
  async candidate(model: string, ...nodeIds: string[]): Promise<RoutingRow> {
    const { candidates } = await this.routing(model);
    const row = candidates.find(({ hops }) => hops.map(({ node_id }) => node_id).join() === nodeIds.join());
    if (row === undefined) throw new Error(`there is no candidate ${nodeIds.join(' -> ')}`);
    return row;
  }

  async calls(query = ''): Promise<CallRecord[]> {
    return (jsonOf(await this.get(`/v1/calls${query}`)) as { data: CallRecord[] }).data;
  }

  async call(requestId: string): Promise<CallRecord> {
    const reply = await this.get(`/v1/calls/${encodeURIComponent(requestId)}`);
    if (reply.status !== 200) throw new Error(`the call ${requestId} is not known`);
    return jsonOf(reply) as CallRecord;
  }

  /** The record of the call that this answer belongs to. */
  callOf({ headers }: Pick<Reply, 'headers'>): Promise<CallRecord> {
    return this.call(String(headers['x-request-id']));
  }

  /** Attempts under way, as nodes and routes count them. */
  async inFlight(model: string): Promise<{ nodes: number; routes: number }> {
    const [nodes, { candidates }] = await Promise.all([this.nodes(), this.routing(model)]);
    const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
    return {
      nodes: sum(nodes.map(({ in_flight }) => in_flight)),
      routes: sum(candidates.map(({ in_flight }) => in_flight)),
    };
  }
}

const CHATS = '/v1/chat/completions';
