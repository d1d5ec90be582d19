import { scanMembers, spliceMembers, type MemberEdit } from '../bytes/index.js';
import type { ChatRequest } from './chat-request.js';

/**
 * The body for a head: the client's own bytes, with `route` taken out, the node's name for the model put in, and
 * for a stream usage asked for, where the client didn't. Nothing to change: the same buffer.
 */
export function upstreamBody(request: ChatRequest, upstreamModel: string | null, askUsage: boolean): Buffer {
  const { hasRoute, body } = request;
  if (!hasRoute && upstreamModel === null && !askUsage) return body;
  const edits: MemberEdit[] = [];
  if (hasRoute) edits.push({ key: 'route', value: null });
  if (upstreamModel !== null) edits.push({ key: 'model', value: JSON.stringify(upstreamModel) });
  if (askUsage) {
    const options = { ...request.streamOptions, include_usage: true };
    edits.push({ key: 'stream_options', value: JSON.stringify(options) });
  }
  return spliceMembers(body, scanMembers(body) ?? [], edits);
}

/** Whether usage has to be asked for on the client's behalf; the chunk that brings it is then not for the client. */
export function mustAskUsage(request: ChatRequest): boolean {
  return request.stream && !request.wantsUsage;
}
