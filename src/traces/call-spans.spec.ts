import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { AttemptFacts, CallFacts, CallTrace, RouteChoice } from './call-tracer.js';
import { OtlpTracer } from './otlp-tracer.js';

const CHOICE: RouteChoice = {
  ...{ model: 'm', signature: 'm|w:all[0-0]', mode: 'exploit', probability: 0.5 },
  route: { hops: [{ node: { nodeId: 'w:all', endpoint: 'https://[::1]/vllm' } }] },
  considered: { eligible: [1, 2], leftOut: [3] },
};
const COMPLETED: AttemptFacts = {
  ...{ outcome: 'completed', headStatus: 200, failedNodeId: null, fault: null },
  usage: { promptTokens: 5, completionTokens: 10 },
};
const FAILED: AttemptFacts = {
  ...{ outcome: 'failed', headStatus: 502, failedNodeId: 'b:1-2', usage: null },
  fault: { code: 'node_failed' },
};
const ENDED: CallFacts = {
  ...{ model: 'm', outcome: 'completed', prompt_tokens: 5, completion_tokens: 10, tokens_estimated: false },
  ...{ tps: 20, queued_ms: 250, ttft_ms: 30, sample: 'recorded' },
};
const TOLD = { status: 200, cause: null };

let clock: ManualClock;
let memory: InMemorySpanExporter;
let tracer: OtlpTracer;
beforeEach(() => {
  clock = new ManualClock();
  memory = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  tracer = new OtlpTracer(provider, { close: () => undefined }, clock);
});
afterEach(() => tracer.stop());

function begin(): CallTrace {
  const start = { requestId: 'r', stream: true, at: clock.now(), wallMs: clock.wallMs() };
  return tracer.begin(start, { path: '/v1/chat/completions', headers: {} });
}

/** By what began it all, in ms. */
function timesOf(startMs: number): (string | number)[][] {
  const at = ([seconds, nanoseconds]: readonly [number, number]): number =>
    Math.round((seconds * 1000 - startMs + nanoseconds / 1e6) * 1000) / 1000;
  return memory.getFinishedSpans().map(({ name, startTime, endTime }) => [name, at(startTime), at(endTime)]);
}

function span(at: number): ReadableSpan {
  return memory.getFinishedSpans()[at]!;
}

describe("a call's spans", () => {
  it('stand where its clock stood, whatever the wall clock does meanwhile', () => {
    const startMs = clock.wallMs();
    const trace = begin();
    trace.queued();
    clock.advance(250.5);
    trace.attempt(CHOICE);
    clock.stepWall(-3_600_000);
    clock.advance(100);
    trace.attemptEnded(FAILED, { kind: 'rejected', reason: 'failed' });
    clock.advance(1);
    trace.attempt(CHOICE);
    clock.advance(500);
    trace.attemptEnded(COMPLETED, { kind: 'sample', tps: 20 });
    clock.advance(2);
    trace.ended(ENDED, TOLD);
    expect(timesOf(startMs)).toEqual([
      ['choose route', 0, 250.5],
      ['chat m', 250.5, 350.5],
      ['choose route', 350.5, 351.5],
      ['chat m', 351.5, 851.5],
      ['chat m', 0, 853.5],
    ]);
    expect(span(0).attributes).toMatchObject({ 'meshnet.queued_ms': 250.5, 'meshnet.candidates': 3 });
    expect(span(2).attributes).toMatchObject({ 'meshnet.queued_ms': 0, 'meshnet.candidates.left_out': 1 });
  });

  it('name the head by where it listens, and the node that a head said had failed', () => {
    const trace = begin();
    trace.attempt(CHOICE);
    trace.attemptEnded(FAILED, { kind: 'rejected', reason: 'failed' });
    expect(span(1).attributes).toMatchObject({
      'server.address': '::1',
      'server.port': 443,
      'meshnet.failed_node_id': 'b:1-2',
      'error.type': 'node_failed',
      'http.response.status_code': 502,
    });
  });

  it('count no chunks as tokens', () => {
    const trace = begin();
    trace.attempt(CHOICE);
    trace.attemptEnded({ ...COMPLETED, usage: null }, { kind: 'rejected', reason: 'too_few_tokens' });
    trace.ended({ ...ENDED, prompt_tokens: null, tokens_estimated: true }, TOLD);
    expect(Object.keys(span(2).attributes).filter((name) => name.startsWith('gen_ai.usage'))).toEqual([]);
  });

  it('end with the call when the tracker itself failed', () => {
    const trace = begin();
    trace.attempt(CHOICE);
    trace.ended({ ...ENDED, outcome: 'failed' }, { status: 500, cause: 'internal_error' });
    expect(memory.getFinishedSpans()).toHaveLength(3);
    expect([span(1), span(2)].map(({ attributes }) => attributes['error.type'])).toEqual([
      'internal_error',
      'internal_error',
    ]);
  });
});
