import { toHttpFault } from '../../http/index.js';
import type { MeshnetError } from '../../kernel/index.js';
import { errorEvent } from './refusal.js';

/** A fault of ours as the last event of a stream. */
export function faultEvent(fault: MeshnetError): Buffer {
  return errorEvent(Buffer.from(JSON.stringify(toHttpFault(fault).body)));
}
