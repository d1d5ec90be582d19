import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../kernel/index.js';
import { AnswerNames } from './answer-names.js';
import type { MeshNode } from './node.js';
import { StaticNodesService } from './static-nodes.service.js';

/** Longest name in a log line, in characters. */
const LONGEST_LOGGED = 256;

/**
 * What chats tell of the servers behind nodes: connections that broke, and answers under another model's name. Either
 * may mean that another program listens on the port, so the next probe of a listed server is brought forward.
 */
@Injectable()
export class SignsOfLifeService {
  private readonly names = new AnswerNames();

  constructor(
    private readonly servers: StaticNodesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Notes that a connection to the node was refused, or broke before its answer was whole. */
  connectionBroke(node: MeshNode): void {
    void this.servers.probeSoon(node);
  }

  /**
   * Judges the name in a completed answer; null where it has none.
   *
   * @returns `new` when the node is not known to answer with this name: its speed says nothing of the node's model. The
   * name becomes known when a probe finds the model still listed, and at once for a node that registered itself.
   */
  answered(node: MeshNode, modelName: string | null): 'known' | 'new' {
    // The server may have been replaced before its first answer; its list of models tells.
    if (modelName !== null && this.names.isUnconfirmed(node, modelName)) void this.servers.probeSoon(node);
    const verdict = this.names.check(node, modelName);
    if (verdict === 'known' || modelName === null) return 'known';
    if (verdict === 'new') this.report(node, modelName);
    void this.confirmIfListed(node, modelName);
    return 'new';
  }

  private async confirmIfListed(node: MeshNode, name: string): Promise<void> {
    if (await this.servers.probeSoon(node)) this.names.confirm(node, name);
  }

  private report(node: MeshNode, name: string): void {
    const { nodeId, model } = node;
    const known = this.names.namesOf(node).map(printable);
    this.logger.warn(
      { node: nodeId, model, known_names: known, name: printable(name) },
      'node.answers_as_another_model',
    );
  }
}

/** A node may name its model by any bytes; a log line must stay one line. */
function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').slice(0, LONGEST_LOGGED);
}
