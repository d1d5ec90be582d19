import type { HistoryPoint, RoutingHistory } from '../api/types.js';
import { clockTime, tps } from '../parts/format.js';
import { Empty, Shown } from '../parts/notice.js';
import { HistoryChart } from './history-chart.js';
import { historySeries, summaryOf } from './history-series.js';
import { openHistory } from './overview-state.js';

interface Now {
  readonly learnedNow: number | null;
  /** Unix ms of the table that `learnedNow` is from. */
  readonly at: number | null;
}

export function RouteHistory(now: Now) {
  return (
    <section aria-label="The last hour">
      <h4>Tokens per second, last hour</h4>
      <Shown polled={openHistory.polled.value} quietWhenGone>
        {(history) => <History history={history} {...now} />}
      </Shown>
    </section>
  );
}

function History({ history, learnedNow, at }: { history: RoutingHistory } & Now) {
  const points = history.routes[0]?.points ?? [];
  const summary = summaryOf(points);
  if (summary === null) return <Empty>No sample in the last hour.</Empty>;
  const nowSeconds = (at ?? Date.now()) / 1000;
  const text =
    `${plural(summary.samples, 'sample')} in ${plural(summary.minutes, 'minute')}, ` +
    `means from ${tps(summary.least)} to ${tps(summary.most)} tps` +
    (learnedNow === null ? '' : `; learned now ${tps(learnedNow)}`);
  return (
    <>
      <HistoryChart
        series={historySeries(points, history.bucket_seconds, nowSeconds, learnedNow)}
        nowSeconds={nowSeconds}
        label={`Chart of tokens per second: ${text}.`}
      />
      <p class="soft small">{text}.</p>
      <HistoryTable points={points} />
    </>
  );
}

function HistoryTable({ points }: { points: readonly HistoryPoint[] }) {
  return (
    <details class="small">
      <summary>As a table</summary>
      <div class="scroll history-table" role="region" aria-label="The last hour by minute" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Minute</th>
              <th scope="col" class="number">
                Mean tps
              </th>
              <th scope="col" class="number">
                Learned after
              </th>
              <th scope="col" class="number">
                Samples
              </th>
            </tr>
          </thead>
          <tbody>
            {[...points].reverse().map((point) => (
              <tr key={point.at}>
                <th scope="row">{clockTime(point.at * 1000)}</th>
                <td class="number">{tps(point.tps)}</td>
                <td class="number">{tps(point.learned_tps)}</td>
                <td class="number">{point.samples}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function plural(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
