import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrackerParts } from '../../src/bootstrap.js';
import type { FakeHead, HeadAnswering, RawHead } from './fake-head.js';
import type { Reply } from './http-client.js';
import type { Stage } from './stage.js';
import { type StagedTracker } from './stage.js';

/** The model that a chat in these cases is about. */
export const MESH_MODEL = 'mesh/model';
export const ASSET = 'main-ABCDEFGH.js';

/** One call of a documented operation. */
export type ApiCase = (world: ApiWorld) => Promise<Reply>;

/** By the status that it must get and, where there are several, the code of the fault or another word. */
export type ApiCases = Readonly<Record<string, ApiCase>>;

/** Trackers to be asked: one with a mesh of reference nodes for whatever goes well, a fresh one for the rest. */
export class ApiWorld {
  private running: Promise<StagedTracker> | null = null;

  constructor(private readonly stage: Stage) {}

  /** A fast node with the first layers, a slow one with all, and a built page. */
  mesh(): Promise<StagedTracker> {
    return (this.running ??= this.startMesh());
  }

  tracker(
    env: Readonly<Record<string, string>> = {},
    parts: Partial<TrackerParts> = {},
  ): Promise<StagedTracker> {
    return this.stage.tracker({ env, parts });
  }

  /** A tracker with one head that serves all of {@link MESH_MODEL}. */
  async trackerWith(
    head: FakeHead | RawHead | string,
    env: Readonly<Record<string, string>> = {},
    stated: object = {},
  ): Promise<StagedTracker> {
    const tracker = await this.tracker(env);
    const endpoint = typeof head === 'string' ? head : head.url;
    await tracker.api.register({ wallet: 'w', endpoint, model: MESH_MODEL, ...stated });
    return tracker;
  }

  head(answering?: HeadAnswering): Promise<FakeHead> {
    return this.stage.head(answering);
  }

  rawHead(onRequest: ConstructorParameters<typeof RawHead>[0]): Promise<RawHead> {
    return this.stage.rawHead(onRequest);
  }

  refusingUrl(): Promise<string> {
    return this.stage.refusingUrl();
  }

  private async startMesh(): Promise<StagedTracker> {
    const tracker = await this.stage.tracker({ parts: { dashboardFolder: this.builtPage() } });
    const mesh = this.stage.mesh(tracker.url);
    for (const [name, end] of [
      ['gpu', 1],
      ['cpu', 3],
    ] as const) {
      await mesh.add({ model: MESH_MODEL, wallet: 'w', name, numLayers: 4, shard: { start: 0, end } });
    }
    return tracker;
  }

  private builtPage(): string {
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    this.stage.atEnd(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(folder, 'assets', ASSET), 'export {};');
    return folder;
  }
}
