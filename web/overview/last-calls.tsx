import type { ComponentChildren } from 'preact';
import { clockTime, duration, tps, UNKNOWN } from '../parts/format.js';
import { Empty, Shown } from '../parts/notice.js';
import { linkTo } from '../state/place.js';
import { openCalls } from './overview-state.js';
import { callsOf, type RouteCall } from './route-calls.js';

const HEADS = ['Started', 'Mode', 'Outcome', 'Tokens', 'tps', 'First token', 'Total'];
const FIRST_NUMBER = 3;

export function LastCalls({ signature }: { signature: string }) {
  return (
    <section aria-label="Last calls">
      <h4>Last calls</h4>
      <Shown polled={openCalls.polled.value} quietWhenGone>
        {({ data }) => <CallTable calls={callsOf(data, signature)} />}
      </Shown>
    </section>
  );
}

function CallTable({ calls }: { calls: readonly RouteCall[] }) {
  if (calls.length === 0) return <Empty>None of the calls that the tracker remembers came this way.</Empty>;
  return (
    <div class="scroll scroll-hint" role="region" aria-label="Table of last calls" tabIndex={0}>
      <table class="last-calls">
        <thead>
          <tr>
            {HEADS.map((name, at) => (
              <th key={name} scope="col" class={at < FIRST_NUMBER ? '' : 'number'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.requestId} call={call} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CallRow({ call }: { call: RouteCall }) {
  return (
    <tr>
      <th scope="row">
        <a href={linkTo('calls', call.requestId)}>{clockTime(call.startedAt)}</a>
      </th>
      <td>{call.mode ?? UNKNOWN}</td>
      <td>{outcomeOf(call)}</td>
      <td class="number">{call.tokens ?? UNKNOWN}</td>
      <td class="number">{tps(call.tps)}</td>
      <td class="number">{duration(call.ttftMs)}</td>
      <td class="number">{duration(call.totalMs)}</td>
    </tr>
  );
}

function outcomeOf({ outcome, wentElsewhere }: RouteCall): ComponentChildren {
  if (wentElsewhere) return <span class="bad-text">✕ {outcome ?? 'failed'}, went elsewhere</span>;
  if (outcome === null) return <span class="soft">… under way</span>;
  const isGood = outcome === 'completed';
  return <span class={isGood ? 'good-text' : 'bad-text'}>{`${isGood ? '✓' : '✕'} ${outcome}`}</span>;
}
