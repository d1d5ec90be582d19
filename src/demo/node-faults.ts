/** A refusal in OpenAI's shape: what a client gets instead of an answer. */
export class NodeFault extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  toBody(): { error: Record<string, unknown> } {
    const type = this.status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: this.message, type, param: this.param, code: this.code } };
  }
}

/** Another hop of the route didn't do its part; `nodeId` is the one to blame. */
export class HopFailed extends NodeFault {
  constructor(
    readonly nodeId: string,
    reason: string,
  ) {
    super(502, 'hop_failed', `Hop ${JSON.stringify(nodeId)} failed: ${reason}.`);
  }

  override toBody(): { error: Record<string, unknown> } {
    const { error } = super.toBody();
    return { error: { ...error, node_id: this.nodeId } };
  }
}

export function toFault(fault: unknown): NodeFault {
  if (fault instanceof NodeFault) return fault;
  return new NodeFault(500, 'internal_error', fault instanceof Error ? fault.message : String(fault));
}
