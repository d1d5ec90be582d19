import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../kernel/clock.js';
import { answerStreamed, answerWhole, type Answer } from './answer.js';
import { cannedAnswer, countPromptTokens } from './canned-text.js';
import { readChatRequest, type AnswerKind } from './chat-request.js';
import { generate } from './head.js';
import type { HeldSequences } from './held-sequences.js';
import { FORWARD_PATH, SEQUENCES_PATH, type ForwardBody, type HopCaller } from './hop-caller.js';
import { isRecord, readRouteHeader, ROUTE_HEADER, type Route } from './hops.js';
import type { LayerRunner } from './layer-runner.js';
import { NodeFault, toFault } from './node-faults.js';
import { leftSignal, readJson, sendJson } from './node-http.js';
import { newFrame } from './openai-shapes.js';

export interface NodeServerParts {
  readonly runner: LayerRunner;
  readonly caller: HopCaller;
  readonly sequences: HeldSequences;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
}

/** Longer than any caller keeps an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 65_000;

const ANSWER_KINDS: Readonly<Record<string, AnswerKind>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'text',
};

/** The sockets of a reference node: OpenAI's paths for clients, `/meshnet/v1/*` for the nodes before it on a route. */
export class NodeServer {
  readonly http: Server;
  /** Chats it heads, from their request to the end of the answer. */
  openChats = 0;
  chatsServed = 0;
  tokensServed = 0;
  private readonly startedAt: number;

  constructor(private readonly parts: NodeServerParts) {
    this.http = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => void this.handle(req, res));
    this.startedAt = Math.floor(parts.clock.wallMs() / 1000);
  }

  private async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const left = leftSignal(res);
    try {
      await this.dispatch(req, res, left);
    } catch (fault) {
      if (left.aborted || res.headersSent) return;
      const refusal = toFault(fault);
      sendJson(res, refusal.status, refusal.toBody());
    }
  }

  private async dispatch(req: IncomingMessage, res: ServerResponse, left: AbortSignal): Promise<void> {
    const path = (req.url ?? '/').replace(/\?.*$/s, '');
    const kind = ANSWER_KINDS[path];
    if (req.method === 'POST' && kind !== undefined) return this.chat(req, res, kind, left);
    if (req.method === 'POST' && path === FORWARD_PATH) return this.forward(req, res, left);
    if (req.method === 'DELETE' && path.startsWith(SEQUENCES_PATH)) this.release(path, res);
    else if (req.method === 'GET' && path === '/v1/models') sendJson(res, 200, this.models());
    else if (req.method === 'GET' && path === '/healthz') sendJson(res, 200, { status: 'ok' });
    else throw new NodeFault(404, 'not_found', `There is no ${req.method ?? ''} ${path} here.`);
  }

  private async chat(
    req: IncomingMessage,
    res: ServerResponse,
    kind: AnswerKind,
    left: AbortSignal,
  ): Promise<void> {
    this.openChats += 1;
    res.once('close', () => (this.openChats -= 1));
    const { runner, clock, maxBodyBytes } = this.parts;
    const asked = readChatRequest(await readJson(req, maxBodyBytes), kind, runner.model);
    const route = this.routeOf(req);
    const { tokens, finishReason } = cannedAnswer(asked.prompt, asked.maxTokens);
    const promptTokens = countPromptTokens(asked.prompt);
    const answer: Answer = {
      frame: newFrame(kind, runner.model, clock.wallMs(), asked.includeUsage),
      tokens: this.counted(generate(this.parts, { tokens, promptTokens }, route, left)),
      promptTokens,
      finishReason,
    };
    await (asked.stream ? answerStreamed(res, answer, left) : answerWhole(res, answer));
    this.chatsServed += 1;
  }

  /** The tracker's route; without one, all layers of this node and nobody else's. */
  private routeOf(req: IncomingMessage): Route {
    const header = req.headers[ROUTE_HEADER];
    return typeof header === 'string' ? readRouteHeader(header) : { own: this.parts.runner.shard, rest: [] };
  }

  private async *counted(tokens: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
    for await (const token of tokens) {
      this.tokensServed += 1;
      yield token;
    }
  }

  private async forward(req: IncomingMessage, res: ServerResponse, left: AbortSignal): Promise<void> {
    const body = readForwardBody(await readJson(req, this.parts.maxBodyBytes));
    sendJson(res, 200, { token: await this.parts.sequences.pass(body, left) });
  }

  private release(path: string, res: ServerResponse): void {
    this.parts.sequences.release(path.slice(SEQUENCES_PATH.length));
    res.writeHead(204).end();
  }

  private models(): object {
    const { model } = this.parts.runner;
    return {
      object: 'list',
      data: [{ id: model, object: 'model', created: this.startedAt, owned_by: 'meshnet' }],
    };
  }
}

function readForwardBody(body: unknown): ForwardBody {
  const { sequence_id: id, state, prefill_tokens: prefill } = isRecord(body) ? body : {};
  const fits = typeof id === 'string' && typeof state === 'string' && typeof prefill === 'number';
  if (!fits || !Number.isFinite(prefill) || prefill < 0) {
    throw new NodeFault(400, 'invalid_request', 'A pass has sequence_id, hops, state and prefill_tokens.');
  }
  return body as ForwardBody;
}
