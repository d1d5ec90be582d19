import {
  amount,
  flag,
  EXAMPLE,
  named,
  objectOf,
  oneOf,
  orNull,
  share,
  text,
  whole,
  type Schema,
} from '../openapi/index.js';
import type { NodeRow } from './node-row.js';

export const BREAKER = oneOf<NodeRow['breaker']>('The circuit breaker.', {
  closed: 'chats go there',
  open: 'failed three times in a row; left out while other nodes cover its layers',
  half_open: 'its time is over; one probe may pass',
});

export const NODE_ROW: Schema<NodeRow> = named(
  'Node',
  objectOf<NodeRow>('A node as the tracker knows it: nothing secret, no lease.', {
    node_id: text('`<wallet>[.<name>]:<shard_start>-<shard_end>`, or `…:all` for the whole model.'),
    wallet: text('Whose it is.'),
    name: orNull(text('Tells one owner’s machines apart.'), 'not given'),
    endpoint: text('Where it is called, without `/v1`; never with credentials.', { format: 'uri' }),
    model: text('What it serves.'),
    upstream_model: orNull(text('What the node itself calls the model.'), 'the same'),
    shard_start: orNull(whole('Its first layer.'), 'it serves the whole model'),
    shard_end: orNull(whole('Its last layer, inclusive.'), 'it serves the whole model'),
    source: oneOf<NodeRow['source']>('Where it came from.', {
      registered: 'it registered itself',
      nodes_file: 'listed in `MESHNET_NODES_FILE`',
      flag: 'named by `--node`',
    }),
    status: oneOf<NodeRow['status']>('Whether new chats may go there.', {
      ready: 'yes',
      draining: 'no: it, or an operator, said so',
    }),
    probe: orNull(
      oneOf<'ok' | 'failed'>('How the last probe of a listed server ended.', {
        ok: 'it answered',
        failed:
          'it did not, or refused; it stays until its lease is over, or longer while it is at work on a chat, and chats may still go there',
      }),
      'it registered itself and is not probed',
    ),
    throughput_tps: orNull(amount('Tokens/s for its whole shard, as declared.'), 'not declared'),
    speed_factor: orNull(
      amount(
        'How fast it was seen to be lately, with nobody else there, over what it declared: 0.5 is half as fast.',
      ),
      'the policy learns no speeds of nodes, or no chat went there yet',
    ),
    speed_sigma: orNull(
      amount('How far that is known: standard deviation of its natural logarithm.'),
      '`speed_factor` is',
    ),
    speed_suspect: flag(
      'A route through it was measured to be over 20 times as fast as the model’s median route: worth a look; chats go there as ever.',
    ),
    queue_depth: whole('Requests waiting or running on it, as it said last.'),
    max_concurrent: orNull(whole('How many chats it takes at once.', { minimum: 1 }), 'no limit declared'),
    in_flight: whole('The tracker’s own attempts under way on it.'),
    reputation: share('Decayed share of its successes; 1 until something was its doing.'),
    breaker: BREAKER,
    resting_seconds: orNull(
      amount(
        'Left of the rest that it asked for by `Retry-After`; no chat goes there while another route can serve.',
      ),
      'it does not rest',
    ),
    last_seen_seconds_ago: amount(
      'Since its last heartbeat, answered probe or byte of a chat, or the last probe that a listed server at work left unanswered.',
    ),
  }),
);

export const nodeExample: NodeRow = {
  node_id: EXAMPLE.gpu,
  wallet: 'alice',
  name: 'gpu',
  endpoint: 'http://10.0.0.7:8000',
  model: EXAMPLE.model,
  upstream_model: null,
  shard_start: 0,
  shard_end: 21,
  source: 'registered',
  status: 'ready',
  probe: null,
  throughput_tps: 90,
  speed_factor: null,
  speed_sigma: null,
  speed_suspect: false,
  queue_depth: 1,
  max_concurrent: 8,
  in_flight: 1,
  reputation: 0.98,
  breaker: 'closed',
  resting_seconds: null,
  last_seen_seconds_ago: 4.2,
};
