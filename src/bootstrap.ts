import type { Server } from 'node:http';
import { Server as TcpServer, type AddressInfo } from 'node:net';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccessService, checkAccess } from './access/index.js';
import { AppModule } from './app.module.js';
import { CallsService, EventsService } from './calls/index.js';
import { ChatLane } from './chat-proxy/index.js';
import { BUILT_PAGE_FOLDER } from './dashboard/index.js';
import { LaneExpressAdapter, securityHeaders } from './http/index.js';
import { Afterwork, seededRng, SystemClock, systemLookup, type KernelParts } from './kernel/index.js';
import { NestLog, pinoLogger } from './pino-logger.js';
import { ReadinessService } from './probes/index.js';
import { StaticNodesService } from './registry/index.js';
import type { EnvLookup, Settings } from './settings/index.js';

/** A tracker that takes chats. */
export interface RunningTracker {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly app: NestExpressApplication;
  /** Resolves once every listed server was asked and `/readyz` says so. */
  readonly ready: Promise<void>;
  /** Reads the nodes file and the files of keys again. */
  reload(): Promise<void>;
  /** Writes down what was put off, before an end without a stop. */
  writeDown(): void;
  /** Takes nothing new, lets running chats finish within the drain time, then ends. */
  stop(): Promise<void>;
}

/** What a test may put in place of the real thing. */
export interface TrackerParts extends KernelParts {
  /** Where the built page of the dashboard is. */
  readonly dashboardFolder: string;
}

/** Registrations and heartbeats are small. */
const CONTROL_BODY_LIMIT = '1mb';
const DRAIN_LOOK_MS = 50;

/**
 * Starts a tracker. `parts` stand in for the system's clock, dice, log, resolver and built page, in tests.
 *
 * @throws NodesFileFault when the nodes file can't be used, AccessFault when the keys can't, or everybody would get in;
 * nothing is listening then
 */
export async function startTracker(
  settings: Settings,
  parts: Partial<TrackerParts> = {},
  env: EnvLookup = () => undefined,
): Promise<RunningTracker> {
  const kernel: KernelParts = {
    clock: parts.clock ?? new SystemClock(),
    rng: parts.rng ?? seededRng(settings.routing.seed),
    logger: parts.logger ?? pinoLogger(settings.serving.logLevel),
    lookup: parts.lookup ?? systemLookup,
  };
  checkAccess(settings);
  const adapter = new LaneExpressAdapter(kernel.clock);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(settings, env, kernel, parts.dashboardFolder ?? BUILT_PAGE_FOLDER),
    adapter,
    { logger: new NestLog(kernel.logger), bodyParser: false, abortOnError: false },
  );
  app.use(securityHeaders);
  app.useBodyParser('json', { limit: CONTROL_BODY_LIMIT });
  app.disable('x-powered-by');
  // What is polled differs each time: a hash over each answer would save nobody a byte.
  app.disable('etag');
  const staticNodes = app.get(StaticNodesService);
  const access = app.get(AccessService);
  try {
    staticNodes.check();
    await app.listen(settings.serving.port, settings.serving.host);
  } catch (fault) {
    await app.close();
    throw fault;
  }
  access.warn();
  const { port } = app.getHttpServer().address() as AddressInfo;
  const ready = staticNodes.start().then(() => app.get(ReadinessService).started());
  return {
    url: urlOf(settings.serving.host, port),
    port,
    app,
    ready,
    reload: () => {
      // Who watches may have had a key that is no more; whoever still has one comes back.
      if (access.reload()) app.get(EventsService).endWatchers();
      return staticNodes.reload();
    },
    writeDown: () => app.get(Afterwork).settle(),
    stop: () => stop(app, adapter, settings.serving.drainSeconds, kernel),
  };
}

/** An address to listen on as one that can be called. */
function urlOf(host: string, port: number): string {
  const callable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `http://${callable}:${String(port)}`;
}

async function stop(
  app: NestExpressApplication,
  adapter: LaneExpressAdapter,
  drainSeconds: number,
  { clock, logger }: KernelParts,
): Promise<void> {
  const calls = app.get(CallsService);
  const server = app.getHttpServer();
  app.get(ReadinessService).draining();
  app.get(ChatLane).close();
  app.get(EventsService).endAll();
  logger.info({ open_calls: calls.openCount }, 'tracker.draining');
  await drained(server, adapter, drainSeconds * 1000, clock);
  adapter.closeAllConnections();
  await app.close();
  logger.info({}, 'tracker.stopped');
}

/** Resolves when the last connection has ended, or after `limitMs`. */
async function drained(
  server: Server,
  adapter: LaneExpressAdapter,
  limitMs: number,
  clock: KernelParts['clock'],
): Promise<void> {
  const deadline = clock.now() + limitMs;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      adapter.closeIdleConnections();
      if (clock.now() >= deadline) resolve();
      else cancel = clock.after(DRAIN_LOOK_MS, look);
    };
    let cancel = clock.after(0, look);
    // Stops listening and no more: an HTTP server's own close would close what it takes for idle on the spot.
    TcpServer.prototype.close.call(server, () => {
      cancel();
      resolve();
    });
  });
}
