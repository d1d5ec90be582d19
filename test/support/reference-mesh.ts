import { ReferenceNode } from '../../src/demo/reference-node.js';
import type { ReferenceNodeOptions } from '../../src/demo/node-options.js';

/**
 * Reference nodes in this process, each on a port of its own, all ended by one call.
 *
 *     const mesh = new ReferenceMesh(tracker.url);
 *     const gpu = await mesh.add({ name: 'gpu', model: 'm', numLayers: 40, shard: { start: 0, end: 21 } });
 *     afterAll(() => mesh.end());
 */
export class ReferenceMesh {
  private readonly nodes = new Set<ReferenceNode>();

  /** @param tracker base URL that every node registers with, or null for nodes that only serve */
  constructor(private readonly tracker: string | null = null) {}

  /** Starts a node; with a tracker, it is registered when this resolves. */
  async add(options: ReferenceNodeOptions): Promise<ReferenceNode> {
    const node = new ReferenceNode({
      drainMs: 2_000,
      ...(this.tracker === null ? {} : { tracker: this.tracker }),
      ...options,
    });
    this.nodes.add(node);
    await node.start();
    if (this.tracker !== null) await node.registered();
    return node;
  }

  /** Takes one node away in order: its lease is given back, its chats end first. */
  async remove(node: ReferenceNode): Promise<void> {
    this.nodes.delete(node);
    await node.stop();
  }

  /** One node dies without a word; its lease is left to run out. */
  kill(node: ReferenceNode): void {
    this.nodes.delete(node);
    node.kill();
  }

  async end(): Promise<void> {
    await Promise.all([...this.nodes].map((node) => this.remove(node)));
  }
}
