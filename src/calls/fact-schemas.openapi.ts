import type { MembershipCause, MeshEvents } from '../kernel/index.js';
import { amount, oneOf, text, whole, type PropertiesOf } from '../openapi/index.js';

const AT = whole('When, in Unix milliseconds.');
const MODEL = text('The model.');
const NODE_ID = text('The node.');

const CAUSE = oneOf<MembershipCause>('Why it came or went.', {
  registered: 'it registered',
  resharded: 'it registered with another shard',
  resumed: 'its drain was taken back',
  deregistered: 'it said goodbye',
  lease_expired: 'nothing was heard of it for a whole lease',
  drained: 'it, or an operator, takes it out of new chats',
  deleted: 'an operator ended it',
  endpoint_taken: 'another node registered at its endpoint',
});

const BREAKERS = ['closed', 'open', 'half_open'];

/** What is told of each change of the mesh, as it happens and in the timeline. */
export const CHANGES: {
  readonly [
    T in 'epoch.bumped' | 'breaker.changed' | 'node.resting' | 'nodes_file.read' | 'nodes_file.refused'
  ]: PropertiesOf<MeshEvents[T]>;
} = {
  'epoch.bumped': {
    model: MODEL,
    epoch: whole('The new one.', { minimum: 1 }),
    node_id: NODE_ID,
    cause: CAUSE,
    at: AT,
  },
  'breaker.changed': {
    model: MODEL,
    node_id: NODE_ID,
    from: text('What it was.', { enum: BREAKERS }),
    to: text('What it is.', { enum: BREAKERS }),
    at: AT,
  },
  'node.resting': {
    model: MODEL,
    node_id: NODE_ID,
    seconds: amount('For how long it asked to get no chats, from now on; 0: its rest is over.'),
    at: AT,
  },
  'nodes_file.read': { entries: whole('How many servers it lists.'), at: AT },
  'nodes_file.refused': { faults: whole('How many faults it has; the log names them.'), at: AT },
};
