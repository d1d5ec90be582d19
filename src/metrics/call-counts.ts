import type { Registry } from 'prom-client';
import type { FinishedCall } from '../kernel/index.js';
import { ModelCounter, ModelHistogram } from './model-series.js';
import { promptSize } from './prompt-size.js';

const DURATION_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600];
const QUEUE_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Counters and histograms that finished calls feed. */
export class CallCounts {
  private readonly requests = new ModelCounter({
    name: 'meshnet_requests_total',
    help: 'Chats that came to an end, by outcome and by how the last route was chosen; turned_away: they got no route.',
    labels: ['mode', 'outcome'],
  });
  private readonly attempts = new ModelCounter({
    name: 'meshnet_attempts_total',
    help: 'Routes tried, by what came of it; a chat may take several.',
    labels: ['outcome'],
  });
  private readonly samples = new ModelCounter({
    name: 'meshnet_samples_total',
    help: "Finished chats by what became of them as a sample of their route's speed: recorded, or why not.",
    labels: ['result'],
  });
  private readonly tokens = new ModelCounter({
    name: 'meshnet_tokens_total',
    help: 'Tokens as the nodes counted them; completion tokens of streams without usage are content events.',
    labels: ['kind'],
  });
  private readonly keyTokens = new ModelCounter({
    name: 'meshnet_key_tokens_total',
    help: 'The same tokens by the name of the key that the chat came with; chats without one are not counted here.',
    labels: ['key', 'kind'],
  });
  private readonly duration = new ModelHistogram({
    name: 'meshnet_request_duration_seconds',
    help: 'From the chat to the end of its answer, waiting and retries included, in seconds.',
    labels: ['outcome'],
    buckets: DURATION_SECONDS,
  });
  private readonly firstToken = new ModelHistogram({
    name: 'meshnet_time_to_first_token_seconds',
    help: "From the chat to its stream's first content event, waiting and retries included, in seconds, by prompt tokens.",
    labels: ['prompt_size'],
    buckets: FIRST_TOKEN_SECONDS,
  });
  private readonly queueWait = new ModelHistogram({
    name: 'meshnet_queue_wait_seconds',
    help: 'How long chats that had to wait in the queue did so, in seconds.',
    labels: [],
    buckets: QUEUE_SECONDS,
  });
  private readonly all = [
    this.requests,
    this.attempts,
    this.samples,
    this.tokens,
    this.keyTokens,
    this.duration,
    this.firstToken,
    this.queueWait,
  ];

  finished(model: string, call: FinishedCall): void {
    const outcome = call.outcome ?? 'failed';
    this.requests.add({ model, mode: call.routing?.mode ?? 'none', outcome });
    for (const attempt of call.attempts) {
      if (attempt.outcome !== null) this.attempts.add({ model, outcome: attempt.outcome });
    }
    if (call.sample !== null) this.samples.add({ model, result: call.sample });
    this.counted(model, call.key_name, 'prompt', call.prompt_tokens);
    this.counted(model, call.key_name, 'completion', call.completion_tokens);
    this.timed(model, outcome, call);
  }

  turnedAway(model: string): void {
    this.requests.add({ model, mode: 'none', outcome: 'turned_away' });
  }

  forget(model: string): void {
    for (const metric of this.all) metric.forget(model);
  }

  show(registry: Registry): void {
    for (const metric of this.all) metric.show(registry);
  }

  private counted(model: string, key: string | null, kind: string, tokens: number | null): void {
    if (tokens === null) return;
    this.tokens.add({ model, kind }, tokens);
    if (key !== null) this.keyTokens.add({ model, key, kind }, tokens);
  }

  private timed(model: string, outcome: string, call: FinishedCall): void {
    if (call.total_ms !== null) this.duration.observe({ model, outcome }, call.total_ms / 1000);
    if (call.queued_ms > 0) this.queueWait.observe({ model }, call.queued_ms / 1000);
    if (call.ttft_ms === null) return;
    this.firstToken.observe({ model, prompt_size: promptSize(call.prompt_tokens) }, call.ttft_ms / 1000);
  }
}
