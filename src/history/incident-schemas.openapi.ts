import { amount, listOf, named, objectOf, orNull, share, text, whole } from '../openapi/index.js';
import type { IncidentRow, IncidentWindow } from './model-incidents.js';

const WINDOW = named(
  'IncidentWindow',
  objectOf<IncidentWindow>(
    'Five minutes of a model’s calls, those turned away for want of a route or room included.',
    {
      calls: whole('All that ended.'),
      succeeded: whole('Those of which the client got a whole answer.'),
      success_ratio: orNull(
        share('Succeeded over succeeded and failed; what was the client’s own doing is neither.'),
        'none succeeded or failed',
      ),
      p95_ttft_ms: orNull(
        amount('Nineteen of twenty had their first token within this time; off by a twentieth at most.'),
        'none had one',
      ),
      queued: whole('Those that had to wait in the queue.'),
    },
  ),
);

type FailureRow = IncidentRow['failures'][number];

const FAILURE = named(
  'Failure',
  objectOf<FailureRow>('Failures of one node by one cause.', {
    node_id: orNull(text('The node.'), 'no node’s doing'),
    cause: text('Code of the fault.'),
    count: whole('How often.', { minimum: 1 }),
  }),
);

export const INCIDENTS = named(
  'Incidents',
  objectOf<IncidentRow>('How a model fares, now and an hour ago.', {
    model: text('The model.'),
    waiting: whole('Calls that wait in the queue this moment.'),
    now: WINDOW,
    hour_ago: WINDOW,
    failures: listOf(
      'Of the last five minutes, attempts included even if another route then served the call; most frequent first.',
      FAILURE,
      { maxItems: 20 },
    ),
  }),
);
