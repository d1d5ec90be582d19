import { once } from 'node:events';
import { connect } from 'node:net';
import { startTracker, type RunningTracker, type TrackerParts } from '../../src/bootstrap.js';
import { readSettings, type EnvLookup, type Settings } from '../../src/settings/index.js';
import { FakeHead, RawHead, type HeadAnswering } from './fake-head.js';
import { sendChat } from './openai-answers.js';
import { ReferenceMesh } from './reference-mesh.js';
import { TrackerApi } from './tracker-api.js';

export type StagedTracker = RunningTracker & { readonly api: TrackerApi };

export interface TrackerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly parts?: Partial<TrackerParts>;
  readonly lookup?: EnvLookup;
}

/** Settings of a silent tracker on a free loopback port. */
export function settingsOf(
  env: Readonly<Record<string, string>> = {},
  argv: readonly string[] = [],
): Settings {
  const reading = readSettings({
    argv: ['--port', '0', ...argv],
    env: { MESHNET_LOG_LEVEL: 'silent', MESHNET_DRAIN_SECONDS: '1', ...env },
  });
  if (reading.kind !== 'run') throw new Error(`these settings give ${JSON.stringify(reading)}`);
  return reading.settings;
}

/**
 * What a test starts, over real sockets. One call ends it all, what came last first.
 *
 *     const stage = new Stage();
 *     afterEach(() => stage.end());
 */
export class Stage {
  private readonly endings: (() => unknown)[] = [];

  async tracker({ env = {}, argv = [], parts = {}, lookup }: TrackerOptions = {}): Promise<StagedTracker> {
    const tracker = await startTracker(settingsOf(env, argv), parts, lookup);
    const stop = onlyOnce(() => tracker.stop());
    this.atEnd(stop);
    await tracker.ready;
    return { ...tracker, stop, api: new TrackerApi(tracker.url) };
  }

  /** A head that answers every chat well, unless `answering` says otherwise. */
  async head(answering: HeadAnswering = sendChat): Promise<FakeHead> {
    const head = await new FakeHead(answering).start();
    this.atEnd(() => head.end());
    return head;
  }

  async rawHead(onRequest: ConstructorParameters<typeof RawHead>[0]): Promise<RawHead> {
    const head = await new RawHead(onRequest).start();
    this.atEnd(() => head.end());
    return head;
  }

  /**
   * An address that refuses every connection until the stage ends: its port is the near end of a connection of ours,
   * so nobody listens there, and no other test is given it meanwhile.
   */
  async refusingUrl(): Promise<string> {
    const far = await this.rawHead(() => undefined);
    const socket = connect(far.port, '127.0.0.1');
    await once(socket, 'connect');
    this.atEnd(() => socket.destroy());
    return `http://127.0.0.1:${String(socket.localPort)}`;
  }

  mesh(tracker: string | null = null): ReferenceMesh {
    const mesh = new ReferenceMesh(tracker);
    this.atEnd(() => mesh.end());
    return mesh;
  }

  atEnd(end: () => unknown): void {
    this.endings.push(end);
  }

  async end(): Promise<void> {
    for (const end of this.endings.splice(0).reverse()) await end();
  }
}

function onlyOnce<T>(act: () => T): () => T {
  let result: { readonly of: T } | null = null;
  return () => (result ??= { of: act() }).of;
}
