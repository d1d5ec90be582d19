import {
  amount,
  flag,
  listOf,
  named,
  objectOf,
  oneOf,
  optional,
  orNull,
  share,
  text,
  whole,
  type PropertiesOf,
} from '../openapi/index.js';
import type { CandidateNote, RouteMode } from '../routing/index.js';
import { ARM_STATUS } from '../routing/routing.openapi.js';
import type {
  AttemptNote,
  CallOutcome,
  CallPhase,
  CallRecord,
  RoutingNote,
  SampleNote,
  WorkUnits,
} from './call-record.js';
import type { CallStory } from './call-story.js';

type StoryAttempt = CallStory['attempts'][number];

const MODE = oneOf<RouteMode>('Why this route.', {
  scout: 'to measure it, or because nothing is proven',
  exploit: 'it is proven, and the dice fell on it',
  control: 'routed by least in-flight, for comparison with the policy',
  pinned: 'the client named it',
  'greedy-fallback': 'every route goes through a blocked node; the best prior is tried all the same',
});

const PROBABILITY = share('With which the choice fell on it.');

const OUTCOME = oneOf<CallOutcome>('How it came out.', {
  completed: 'a whole answer',
  refused: 'the head refused what the client sent',
  too_long: 'the request is longer than the head takes; one with more room was asked',
  unsupported: 'the head lacks the endpoint or the feature; another route was asked',
  empty: 'the head ended its answer without content; another route was asked to do better',
  busy: 'the head, or every node that could serve it, had too much to do',
  failed: 'a node or the way to it failed',
  misconfigured: 'a node refused the tracker itself, or a model that it had registered',
  timed_out: 'a node took longer than a setting allows',
  cut_off: 'the answer ended before each choice that had begun had its finish reason',
  abandoned: 'a scout too slow: a proven route took over before the client had seen anything',
  client_left: 'the client hung up',
});

const SAMPLE = oneOf<SampleNote>('Whether it became a sample of its route’s speed, or why not.', {
  recorded: 'it did',
  too_few_tokens: 'fewer than `MESHNET_ROUTE_MIN_SAMPLE_TOKENS`',
  failed: 'it failed',
  cut_off: 'it was cut off',
  client_left: 'the client hung up',
  client_slow: 'the client’s reading held it up for over a tenth of the time',
  not_finite: 'no speed that can be',
  no_content: 'it ended well and said nothing',
  no_finish_reason: 'JSON with content and no finish reason: it may have been cut',
  model_changed: 'the head answered as another model than the one it is known to serve',
});

const PHASE = oneOf<CallPhase>('What an open call is doing.', {
  queued: 'waiting for a node with room, or for one quick enough (admission)',
  prefill: 'no token came yet',
  streaming: 'tokens come',
  silent: 'none came for five seconds',
});

export const ROUTING_NOTE = objectOf<RoutingNote>('The decision for the newest attempt.', {
  mode: MODE,
  signature: text('The route.'),
  probability: PROBABILITY,
});

const attempt: PropertiesOf<AttemptNote> = {
  signature: text('The route.'),
  mode: MODE,
  probability: PROBABILITY,
  outcome: orNull(OUTCOME, 'it is under way'),
  status: orNull(whole('HTTP status of the head.'), 'it gave none'),
  ms: orNull(amount('How long it took.'), 'it is under way'),
  failed_node_id: orNull(text('The node whose failure it was.'), 'nobody’s'),
  cause: orNull(text('Code of the fault.'), 'there was none'),
};

const ATTEMPT = named('Attempt', objectOf<AttemptNote>('One route that a call tried.', attempt));

const UNASKED = 'the policy does not predict';

const CANDIDATE = named(
  'CandidateNote',
  objectOf<CandidateNote>('A candidate as it stood when the route was chosen.', {
    signature: text('The route.'),
    status: ARM_STATUS,
    tps: orNull(amount('Learned tokens/s.'), 'never measured'),
    prior_tps: amount('What was expected of it unmeasured.'),
    weight: amount('Evidence left, in samples.'),
    traffic_share: share('The probability with which the choice fell on it.'),
    scouts_in_flight: whole('Scouts under way on it.'),
    barred: flag('Scouting it was barred for a while: a scout brought no sample.'),
    predicted_seconds: orNull(amount('What this call was expected to take here.'), UNASKED),
    predicted_seconds_200: orNull(amount('The same of an answer of 200 tokens.'), UNASKED),
    node_loads: orNull(
      listOf('The tracker’s own attempts under way on each hop’s server, by hop.', whole('So many.')),
      UNASKED,
    ),
    left_out: orNull(
      oneOf<'breaker_open' | 'full' | 'resting'>('Why the policy was not asked about it.', {
        breaker_open: 'it goes through a blocked node',
        resting: 'it goes through a node that asked for rest',
        full: 'it goes through a node with all it may have',
      }),
      'it was',
    ),
  }),
);

const STORY_ATTEMPT = named(
  'AttemptStory',
  objectOf<StoryAttempt>('One route that a call tried, and what it was chosen from.', {
    ...attempt,
    reason: orNull(text('Why, in words: what was expected of it, and of the next best.'), UNASKED),
    candidates: listOf(
      'The best of them, and the chosen one. None of a pinned call: nothing was chosen.',
      CANDIDATE,
    ),
    candidates_not_kept: whole('How many more there were.'),
  }),
);

const WORK = named(
  'WorkUnits',
  objectOf<WorkUnits>('What one hop did.', {
    node_id: text('The node.'),
    start_layer: whole('Its first layer on this route.'),
    end_layer: whole('Its last, inclusive.'),
    work_units: whole('Completion tokens × these layers.'),
  }),
);

const call: PropertiesOf<Omit<CallRecord, 'attempts'>> = {
  request_id: text('The client’s `x-request-id`, or one given to it.'),
  started_at: text('When it came.', { format: 'date-time' }),
  model: text('The model.'),
  stream: flag('Whether a stream was asked for.'),
  key_name: orNull(text('The name of the key that it came with.'), 'it came without one'),
  routing: orNull(ROUTING_NOTE, 'it got no route yet, or none at all'),
  outcome: orNull(OUTCOME, 'it is open'),
  cause: orNull(text('Code of the fault that ended it without an attempt.'), 'the attempts tell'),
  prompt_tokens: orNull(whole('As the head counted.'), 'not told'),
  completion_tokens: orNull(whole('As the head counted, or the number of chunks.'), 'nothing came'),
  tokens_estimated: flag('`completion_tokens` is the number of chunks, for lack of usage.'),
  tps: orNull(amount('Tokens/s, end to end.'), 'it was not completed'),
  queued_ms: amount('How long it waited in the queue; part of `total_ms`.'),
  ttft_ms: orNull(amount('From its coming to the first token.'), 'none came, or it was no stream'),
  total_ms: orNull(amount('From its coming to its end.'), 'it is open'),
  sample: orNull(SAMPLE, 'no attempt was judged'),
  work_units: listOf('By hop; they add up to completion tokens × the model’s layers.', WORK),
  age_ms: optional(amount('Of an open call: since it came.')),
  phase: optional(PHASE),
};

export const CALL = named(
  'Call',
  objectOf<CallRecord>('A chat that got a route, or waited for one. No prompt, no answer, no key.', {
    ...call,
    attempts: listOf('In their order; the last one served, if any did.', ATTEMPT),
  }),
);

export const STORY = named(
  'CallStory',
  objectOf<CallStory>('A call, and for each attempt the candidates as they stood.', {
    ...call,
    attempts: listOf('In their order; the last one served, if any did.', STORY_ATTEMPT),
  }),
);
