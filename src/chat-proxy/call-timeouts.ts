import { NodeTimeoutError } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { CallSettings } from '../settings/index.js';
import type { CallLimits, TimeoutKind } from './relay/watchdog.js';

const MS = 1000;

/**
 * The limits of one attempt; a listed node may be given longer for its first byte.
 *
 * @param silentMs silence before the first word that is worth a note
 */
export function limitsOf(
  settings: CallSettings,
  head: MeshNode,
  callStartedAt: number,
  silentMs = Infinity,
): CallLimits {
  return {
    firstByteMs: (head.firstByteTimeoutSeconds ?? settings.firstByteTimeoutSeconds) * MS,
    idleMs: settings.idleTimeoutSeconds * MS,
    totalAt: callStartedAt + settings.totalTimeoutSeconds * MS,
    silentMs,
  };
}

/** Says which timeout it was, on which node, after how long, for how large a prompt, and what governs it. */
export function timeoutFault(
  kind: TimeoutKind,
  afterMs: number,
  head: MeshNode,
  promptBytes: number,
): NodeTimeoutError {
  const said = {
    connect: 'did not accept the connection',
    first_byte: 'sent no first byte',
    idle: 'fell silent',
    total: 'did not finish',
    ending: 'did not end its answer',
  }[kind];
  const seconds = (afterMs / MS).toFixed(1);
  const setting =
    kind === 'first_byte' && head.firstByteTimeoutSeconds !== null
      ? "the node's first_byte_timeout_seconds in the nodes file"
      : `MESHNET_${kind.toUpperCase()}_TIMEOUT_SECONDS`;
  return new NodeTimeoutError(
    `The node ${head.nodeId} ${said} for ${seconds} s (request of ${String(promptBytes)} bytes); ${setting} sets this limit.`,
  );
}
