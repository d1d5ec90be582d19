import { useEffect, useRef } from 'preact/hooks';
import type { CallRecord } from '../api/types.js';
import { dateTime, fixed, percent, tps, UNKNOWN } from '../parts/format.js';
import { Empty, Shown } from '../parts/notice.js';
import { layersText } from '../parts/signature.js';
import { Tag } from '../parts/tag.js';
import { linkTo } from '../state/place.js';
import { Attempts } from './story-attempts.js';
import { storyPoll } from './story-poll.js';
import { decisionSentence } from './story-words.js';
import { TimeBar } from './time-bar.js';
import { causeText, modeWord, sampleSentence, stateWord } from './words.js';

/** How one call went: why it got its route, what was tried, where its time went and what was learned from it. */
export function Story({ id }: { id: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [id]);
  const polled = storyPoll.polled.value;
  const isUnknown = polled.value === null && polled.fault?.code === 'call_not_found';
  return (
    <section class="card story" data-testid="call-story" aria-labelledby="story-name">
      <header>
        <h2 id="story-name" ref={heading} tabIndex={-1}>
          Call <code>{id}</code>
        </h2>
        <a class="close" href={linkTo('calls')} title="Back to the wall (Escape)">
          Close
        </a>
      </header>
      <div class="card-body">
        {isUnknown ? (
          <Empty>
            No call with this id is remembered. The tracker keeps the newest 1,000 calls, and none over a
            restart.
          </Empty>
        ) : (
          <Shown polled={polled}>{(call) => <Told call={call} />}</Shown>
        )}
      </div>
    </section>
  );
}

function Told({ call }: { call: CallRecord }) {
  const state = stateWord(call);
  const last = call.attempts.at(-1);
  return (
    <>
      <p class="tags">
        <Tag mark={state.mark} tone={state.tone}>
          {state.word}
        </Tag>
        {call.routing !== null && <ModeTag mode={call.routing.mode} />}
        <span class="soft">
          {dateTime(Date.parse(call.started_at))} · {call.stream ? 'stream' : 'whole answer'}
          {call.key_name !== null && ` · key ${call.key_name}`}
        </span>
      </p>
      <p>{state.meaning}</p>
      {call.cause !== null && call.outcome !== null && (
        <p>
          What ended it: {causeText(call.cause)} <code class="soft">{call.cause}</code>
        </p>
      )}
      <p class="soft model-name">{call.model}</p>

      <h3>Decision</h3>
      <p data-testid="story-decision">
        {last === undefined ? 'None yet: no node that could serve it had room.' : decisionSentence(last)}
        {call.attempts.length > 1 &&
          ` It was the ${ordinal(call.attempts.length)} try: the nodes that failed before were left out.`}
      </p>

      <h3>Time</h3>
      <TimeBar call={call} />

      <h3>Tokens</h3>
      <dl class="facts">
        <Fact name="Prompt" value={count(call.prompt_tokens)} />
        <Fact
          name={call.tokens_estimated ? 'Completion (pieces counted)' : 'Completion'}
          value={count(call.completion_tokens)}
        />
        <Fact name="Speed" value={call.tps === null ? UNKNOWN : `${tps(call.tps)} tok/s`} />
      </dl>
      <p data-testid="story-sample">{sampleSentence(call)}</p>

      {call.attempts.length > 0 && (
        <>
          <h3>{call.attempts.length === 1 ? 'Attempt' : `${String(call.attempts.length)} attempts`}</h3>
          <Attempts call={call} />
        </>
      )}
      <Work call={call} />
    </>
  );
}

function ModeTag({ mode }: { mode: Parameters<typeof modeWord>[0] }) {
  const { mark, tone, word, meaning } = modeWord(mode);
  return (
    <Tag mark={mark} tone={tone} title={meaning}>
      {word}
    </Tag>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="soft">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Who did how much of it: completion tokens × layers. */
function Work({ call: { work_units: units } }: { call: CallRecord }) {
  const sum = units.reduce((total, { work_units }) => total + work_units, 0);
  if (sum === 0) return null;
  return (
    <>
      <h3>Work units</h3>
      <div class="scroll">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Hop</th>
              <th scope="col" class="number">
                Layers
              </th>
              <th scope="col" class="number">
                Units
              </th>
              <th scope="col" class="number">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {units.map(({ node_id, start_layer, end_layer, work_units }) => (
              <tr key={`${node_id} ${String(start_layer)}`}>
                <td class="breakable">{node_id}</td>
                <td class="number">{layersText(start_layer, end_layer)}</td>
                <td class="number">{fixed(work_units, 0)}</td>
                <td class="number">{percent(work_units / sum)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function count(tokens: number | null): string {
  return tokens === null ? UNKNOWN : String(tokens);
}

function ordinal(n: number): string {
  return n === 2 ? 'second' : n === 3 ? 'third' : `${String(n)}th`;
}
