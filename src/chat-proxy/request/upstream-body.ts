import { spliceMembers, type MemberEdit } from '../bytes/index.js';
import type { ChatRequest } from './chat-request.js';

/**
 * The body for a head: the client's own bytes, with `route` taken out, the node's name for the model put in, and
 * for a stream usage asked for, where the client didn't. Nothing to change: the same buffer.
 */
export function upstreamBody(request: ChatRequest, upstreamModel: string | null, askUsage: boolean): Buffer {
  const edits: MemberEdit[] = [];
  if (request.pin !== null || hasMember(request, 'route')) edits.push({ key: 'route', value: null });
  if (upstreamModel !== null) edits.push({ key: 'model', value: JSON.stringify(upstreamModel) });
  if (askUsage) {
    const options = { ...request.streamOptions, include_usage: true };
    edits.push({ key: 'stream_options', value: JSON.stringify(options) });
  }
  return spliceMembers(request.body, request.members, edits);
}

/** Whether usage has to be asked for on the client's behalf; the chunk that brings it is then not for the client. */
export function mustAskUsage(request: ChatRequest): boolean {
  return request.stream && !request.wantsUsage;
}

function hasMember({ members }: ChatRequest, name: string): boolean {
  return members.some(({ key }) => key === name);
}
