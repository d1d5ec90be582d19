import type { NodeRecord } from './node-record.js';

/** The nodes that are here, found by whatever one may know of them. */
export class NodeIndex {
  private readonly byKey = new Map<string, NodeRecord>();
  private readonly byLease = new Map<string, NodeRecord>();
  private readonly byModel = new Map<string, Set<NodeRecord>>();
  private readonly byEndpoint = new Map<string, Set<NodeRecord>>();

  /** In the order of their first registration. */
  all(): NodeRecord[] {
    return [...this.byKey.values()];
  }

  ofModel(model: string): NodeRecord[] {
    return [...(this.byModel.get(model) ?? [])];
  }

  at(endpoint: string): NodeRecord[] {
    return [...(this.byEndpoint.get(endpoint) ?? [])];
  }

  withKey(key: string): NodeRecord | undefined {
    return this.byKey.get(key);
  }

  withLease(leaseId: string): NodeRecord | undefined {
    return this.byLease.get(leaseId);
  }

  withId(nodeId: string, model: string | null): NodeRecord[] {
    const nodes = model === null ? this.all() : this.ofModel(model);
    return nodes.filter((node) => node.nodeId === nodeId);
  }

  insert(node: NodeRecord): void {
    this.byKey.set(node.key, node);
    this.byLease.set(node.leaseId, node);
    addTo(this.byModel, node.model, node);
    addTo(this.byEndpoint, node.endpoint, node);
  }

  take(node: NodeRecord): void {
    this.byKey.delete(node.key);
    this.byLease.delete(node.leaseId);
    takeFrom(this.byModel, node.model, node);
    takeFrom(this.byEndpoint, node.endpoint, node);
  }

  /** Runs a change of lease or endpoint, so that the node is found by the new ones only. */
  reindex(node: NodeRecord, change: () => void): void {
    this.byLease.delete(node.leaseId);
    takeFrom(this.byEndpoint, node.endpoint, node);
    change();
    this.byLease.set(node.leaseId, node);
    addTo(this.byEndpoint, node.endpoint, node);
  }
}

function addTo(index: Map<string, Set<NodeRecord>>, key: string, node: NodeRecord): void {
  const nodes = index.get(key);
  if (nodes === undefined) index.set(key, new Set([node]));
  else nodes.add(node);
}

function takeFrom(index: Map<string, Set<NodeRecord>>, key: string, node: NodeRecord): void {
  const nodes = index.get(key);
  if (nodes?.delete(node) === true && nodes.size === 0) index.delete(key);
}
