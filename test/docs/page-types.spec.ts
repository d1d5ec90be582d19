import { describe, expect, it } from '@jest/globals';
import type { CallOutcome, CallPhase, CallRecord } from '../../src/calls/call-record.js';
import type { CallStory } from '../../src/calls/call-story.js';
import type { HistoryController } from '../../src/history/history.controller.js';
import type { TimelineEntry } from '../../src/history/index.js';
import type { OpenAiErrorBody } from '../../src/http/openai-error.js';
import type { BreakerState } from '../../src/node-health/index.js';
import type { NodesController } from '../../src/nodes-api/nodes.controller.js';
import type { CandidateNote } from '../../src/routing/index.js';
import type { RouteMode } from '../../src/routing/routing.service.js';
import type { ModelRouting } from '../../src/routing/routing-table.service.js';
import type { RoutingController } from '../../src/routing/routing.controller.js';
import type { ArmStatus } from '../../src/routing-stats/index.js';
import type * as page from '../../web/api/types.js';

/** Compiles only if what the tracker sends can be read as what the page reads. */
type Reads<Page, Sent extends Page> = [Page, Sent] extends [never, never] ? never : true;

/** The page says something about each of the tracker's words, and knows no others. */
type Same<Page, Tracker> = [Page, Tracker] extends [Tracker, Page] ? true : false;

type Answer<C, M extends keyof C> = C[M] extends (...args: never[]) => infer A ? A : never;

// The page is built by itself and imports nothing of the tracker's. That it reads what is sent is checked here, by
// `tsc -p tsconfig.json`; running it adds nothing.
describe("the page's types", () => {
  it("can read the tracker's answers", () => {
    const readable: [
      Reads<Pick<page.RoutingTable, 'models'>, Answer<RoutingController, 'routing'>>,
      Reads<page.ModelRouting, ModelRouting>,
      Reads<page.ListOf<page.NodeRow>, Answer<NodesController, 'list'>>,
      Reads<page.CallRecord, CallRecord>,
      Reads<page.CallRecord, CallStory>,
      Reads<page.ConsideredRoute, CandidateNote>,
      Reads<page.RoutingHistory, Answer<HistoryController, 'routingHistory'>>,
      Reads<page.ListOf<page.ModelEarnings>, Answer<HistoryController, 'earningsRows'>>,
      Reads<page.Incidents, Answer<HistoryController, 'incidentRows'>>,
      Reads<page.ListOf<page.TimelineFact>, Answer<HistoryController, 'timelineEntries'>>,
      Reads<page.ErrorAnswer, OpenAiErrorBody>,
    ] = [true, true, true, true, true, true, true, true, true, true, true];
    expect(readable).not.toContain(false);
  });

  it("know the tracker's words", () => {
    const known: [
      Same<page.RouteStatus, ArmStatus>,
      Same<page.RouteMode, RouteMode>,
      Same<page.BreakerState, BreakerState>,
      Same<page.CallPhase, CallPhase>,
      Same<page.CallOutcome, CallOutcome>,
      Same<page.TimelineFact['type'], TimelineEntry['type']>,
    ] = [true, true, true, true, true, true];
    expect(known).not.toContain(false);
  });
});
