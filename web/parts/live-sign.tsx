import { routing } from '../state/mesh.js';
import { keyNeed } from '../state/admin-key.js';
import { clockTime } from './format.js';

/** Whether what is shown is what is: live, or as of when the tracker was last heard. */
export function LiveSign() {
  const { at, fault } = routing.polled.value;
  const state =
    keyNeed.value !== null ? 'locked' : fault?.gone === true ? 'gone' : at === null ? 'waiting' : 'live';
  const text = {
    live: `live, ${at === null ? '' : clockTime(at)}`,
    waiting: 'asking the tracker',
    locked: 'locked; a key is needed',
    gone: at === null ? 'no tracker answers' : `tracker gone; as of ${clockTime(at)}`,
  }[state];
  return (
    <p class="live" data-state={state}>
      <span class="live-mark" aria-hidden="true" />
      {/* The time changes all the time: only the change between states is worth being read aloud. */}
      <span class="sr-only" role="status">
        {state === 'gone' ? 'The tracker does not answer.' : ''}
      </span>
      {text}
    </p>
  );
}
