import { NodeFailedError } from '../../kernel/index.js';
import { verdict, type Verdict } from './attempt-end.js';
import type { AskedHead } from './refusal.js';

/** As much of a finish reason of a head's own is quoted. */
const MOST_QUOTED = 32;

/**
 * Returns the verdict on an answer that claims success and holds no completion.
 *
 * @param what the head sent instead, for the message
 */
export function noCompletion({ nodeId }: AskedHead, what: string): Verdict {
  return verdict('failed', {
    fault: new NodeFailedError(`The node ${nodeId} answered with ${what}.`, 'no_completion'),
  });
}

/** Returns the verdict on a body that should be JSON and is not. */
export function noJson({ nodeId }: AskedHead): Verdict {
  const message = `The node ${nodeId} answered with something that is no JSON object.`;
  return verdict('failed', { fault: new NodeFailedError(message, 'node_failed') });
}

/** Returns the verdict on an answer that its engine broke off before the client saw any of it. */
export function brokenOff({ nodeId }: AskedHead, reason: string): Verdict {
  return verdict('failed', { fault: new NodeFailedError(brokenOffText(nodeId, reason), 'answer_aborted') });
}

/** Returns the verdict on the same when the client has seen part of it. */
export function brokenOffInside({ nodeId }: AskedHead, reason: string): Verdict {
  return verdict('cut_off', { fault: new NodeFailedError(brokenOffText(nodeId, reason), 'answer_aborted') });
}

/** Returns the verdict on a stream that ended before each choice that had begun had its finish reason. */
export function cutOff({ nodeId }: AskedHead): Verdict {
  const message = `The node ${nodeId} ended its answer before it was complete.`;
  return verdict('cut_off', { fault: new NodeFailedError(message, 'answer_cut_off') });
}

function brokenOffText(nodeId: string, reason: string): string {
  return `The node ${nodeId} broke its answer off (finish_reason ${JSON.stringify(reason.slice(0, MOST_QUOTED))}).`;
}
