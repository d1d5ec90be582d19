import type { CallOutcome, CallPhase, CallRecord, RouteMode } from '../api/types.js';

export type Tone = 'good' | 'warn' | 'bad' | 'odd' | 'accent' | 'idle';

/** A state as it is shown: never by colour alone. */
export interface Word {
  readonly mark: string;
  readonly tone: Tone;
  readonly word: string;
  readonly meaning: string;
}

export const OUTCOMES: Readonly<Record<CallOutcome, Word>> = {
  completed: { mark: '✓', tone: 'good', word: 'completed', meaning: 'The client got a whole answer.' },
  refused: {
    ...{ mark: '⊘', tone: 'warn', word: 'refused' },
    meaning: 'The node refused what the client sent; its answer was passed on.',
  },
  busy: {
    ...{ mark: '≡', tone: 'warn', word: 'busy' },
    meaning: 'The node, or every node that could serve the call, had too much to do.',
  },
  failed: { mark: '✕', tone: 'bad', word: 'failed', meaning: 'A node, or the way to it, failed.' },
  misconfigured: {
    ...{ mark: '≠', tone: 'bad', word: 'misconfigured' },
    meaning: 'A node refused the tracker itself, or a model that it had registered.',
  },
  timed_out: {
    ...{ mark: '◷', tone: 'bad', word: 'timed out' },
    meaning: 'A node took longer than a setting allows.',
  },
  cut_off: {
    ...{ mark: '⊣', tone: 'bad', word: 'cut off' },
    meaning: 'The answer ended before it was whole.',
  },
  too_long: {
    ...{ mark: '⇥', tone: 'warn', word: 'too long' },
    meaning: 'The request is longer than the node takes; one with more room was asked.',
  },
  unsupported: {
    ...{ mark: '⊄', tone: 'warn', word: 'unsupported' },
    meaning: 'The node lacks the endpoint or the feature; another route was asked.',
  },
  empty: {
    ...{ mark: '∅', tone: 'odd', word: 'empty' },
    meaning: 'The node ended its answer without content; another route was asked to do better.',
  },
  abandoned: {
    ...{ mark: '↷', tone: 'odd', word: 'abandoned' },
    meaning: 'A scout that was too slow: a proven route took over before the client saw anything of it.',
  },
  client_left: { mark: '←', tone: 'idle', word: 'client left', meaning: 'The client hung up.' },
};

export const PHASES: Readonly<Record<CallPhase, Word>> = {
  queued: {
    ...{ mark: '⋯', tone: 'warn', word: 'queued' },
    meaning: 'It waits for a node with room, or for the mesh to be quick enough.',
  },
  prefill: {
    ...{ mark: '▹', tone: 'accent', word: 'prefill' },
    meaning: 'A node has it; nothing of the answer has come yet.',
  },
  streaming: { mark: '»', tone: 'accent', word: 'streaming', meaning: 'The answer is coming.' },
  silent: {
    ...{ mark: '◌', tone: 'warn', word: 'silent' },
    meaning: 'The answer began, but nothing has come for over five seconds.',
  },
};

const UNDER_WAY: Word = { mark: '▹', tone: 'accent', word: 'open', meaning: 'It is under way.' };

/** What a call is doing, or how it came out. */
export function stateWord({ outcome, phase }: Pick<CallRecord, 'outcome' | 'phase'>): Word {
  if (outcome !== null) return outcomeWord(outcome);
  return phase === undefined ? UNDER_WAY : PHASES[phase];
}

/** Also of an attempt under way, and of an outcome that a newer tracker may know. */
export function outcomeWord(outcome: CallOutcome | null): Word {
  if (outcome === null) return UNDER_WAY;
  const known = (OUTCOMES as Readonly<Record<string, Word | undefined>>)[outcome];
  return known ?? { mark: '?', tone: 'idle', word: outcome, meaning: outcome };
}

export const MODES: Readonly<Record<RouteMode, Word>> = {
  exploit: {
    ...{ mark: '◆', tone: 'good', word: 'exploit' },
    meaning: 'Drawn among the proven routes, the faster ones more often.',
  },
  scout: {
    ...{ mark: '◇', tone: 'odd', word: 'scout' },
    meaning: 'Sent to learn how fast a route is that is not proven.',
  },
  control: {
    ...{ mark: '◐', tone: 'odd', word: 'control' },
    meaning: 'One of the few sent to the route with the fewest calls, to show what choosing better earns.',
  },
  pinned: { mark: '●', tone: 'accent', word: 'pinned', meaning: 'The client named the route.' },
  'greedy-fallback': {
    ...{ mark: '△', tone: 'warn', word: 'fallback' },
    meaning: 'Every route passed a node that keeps failing; the best guess was tried.',
  },
};

export function modeWord(mode: RouteMode): Word {
  const known = (MODES as Readonly<Record<string, Word | undefined>>)[mode];
  return known ?? { mark: '?', tone: 'idle', word: mode, meaning: mode };
}

/** What became of the call as a sample of its route's speed, short. */
export function sampleText(sample: string | null): string {
  return sample === null ? '' : sample.replaceAll('_', ' ');
}

const NO_SAMPLE: Readonly<Record<string, string>> = {
  too_few_tokens: 'the answer was too short to tell a speed',
  failed: 'the call did not end well',
  cut_off: 'the answer was cut off',
  client_left: 'the client hung up before the end',
  client_slow: 'the client read so slowly that the time says little about the route',
  not_finite: 'the numbers make no sensible speed',
  no_content: 'the answer had no content',
  no_finish_reason: 'the answer had no finish reason, so it may have been cut',
  model_changed: 'the node answered as another model than the one it is known to serve',
};

/** What became of the call as a sample, in a sentence. */
export function sampleSentence(call: Pick<CallRecord, 'sample' | 'tokens_estimated' | 'outcome'>): string {
  const { sample, tokens_estimated: isEstimated, outcome } = call;
  if (sample === 'recorded') {
    return isEstimated
      ? 'Recorded with weight 0.6: the node counted no tokens, so pieces of the answer were counted instead.'
      : "Recorded: the route's learned speed took it in.";
  }
  if (sample !== null) return `Not recorded: ${NO_SAMPLE[sample] ?? sampleText(sample)}.`;
  return outcome === null ? 'Not known yet: the call is open.' : 'No sample: no route served the call.';
}

const CAUSES: Readonly<Record<string, string>> = {
  node_unreachable: 'could not be reached',
  node_failed: 'failed',
  endpoint_refused: 'leads to an address that nodes may not have',
  node_misconfigured: 'refused the tracker or the model',
  node_timeout: 'took too long',
  answer_cut_off: 'ended its answer before it was whole',
  answer_aborted: 'broke its answer off',
  no_completion: 'answered without a completion',
  empty_answer: 'answered without content',
  request_at_fault: 'the request fails on every node alike',
  hop_failed: 'failed as a hop',
  no_route: 'nobody serves all layers',
  queue_full: 'too many calls were waiting already',
  queue_timeout: 'its turn did not come in time',
  nodes_resting: 'every route had asked for rest',
  overloaded: 'the tracker had too much to do',
  shutting_down: 'the tracker was going down',
};

/** A fault's code in words; a code that is new here stands for itself. */
export function causeText(code: string): string {
  return CAUSES[code] ?? code;
}
