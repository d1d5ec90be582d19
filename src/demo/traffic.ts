import { Agent, request } from 'undici';
import type { Cancel, Clock } from '../kernel/clock.js';
import type { Rng } from '../kernel/rng.js';

/** What is asked, how often and for how long an answer. */
export interface TrafficPlan {
  readonly model: string;
  /** Mean time from one chat to the next. */
  readonly everyMs: number;
  readonly maxTokens: number;
}

export interface TrafficCounts {
  readonly done: number;
  readonly failed: number;
  readonly open: number;
}

const QUESTIONS = [
  'Which way is the fastest?',
  'What does a scout learn on its way?',
  'Why does a route have to prove itself again?',
  'Who reads the stopwatch at the end of a route?',
  'What happens when a hop fails in the middle of a chat?',
];

/** Streamed chats through the tracker, at uneven times as people ask them, until it is ended. */
export class Traffic {
  private readonly agent = new Agent();
  private readonly ends = new AbortController();
  private readonly next = new Map<TrafficPlan, Cancel>();
  private readonly counted = { done: 0, failed: 0, open: 0 };

  /** @param failed is told why a chat failed */
  constructor(
    private readonly tracker: string,
    private readonly clock: Clock,
    private readonly rng: Rng,
    private readonly failed: (line: string) => void,
  ) {}

  get counts(): TrafficCounts {
    return this.counted;
  }

  start(plans: readonly TrafficPlan[]): void {
    for (const plan of plans) this.ask(plan);
  }

  async end(): Promise<void> {
    for (const cancel of this.next.values()) cancel();
    this.ends.abort();
    await this.agent.destroy();
  }

  private ask(plan: TrafficPlan): void {
    void this.chat(plan);
    const waitMs = plan.everyMs * (0.5 + this.rng());
    this.next.set(
      plan,
      this.clock.after(waitMs, () => this.ask(plan)),
    );
  }

  private async chat(plan: TrafficPlan): Promise<void> {
    this.counted.open += 1;
    try {
      await this.stream(plan);
      this.counted.done += 1;
    } catch (fault) {
      if (this.ends.signal.aborted) return;
      this.counted.failed += 1;
      this.failed(
        `a chat with ${plan.model} failed: ${fault instanceof Error ? fault.message : String(fault)}`,
      );
    } finally {
      this.counted.open -= 1;
    }
  }

  private async stream({ model, maxTokens }: TrafficPlan): Promise<void> {
    const content = QUESTIONS[Math.floor(this.rng() * QUESTIONS.length)] ?? '';
    const answer = await request(`${this.tracker}/v1/chat/completions`, {
      dispatcher: this.agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: true,
        max_tokens: maxTokens,
        messages: [{ role: 'user', content }],
      }),
      signal: this.ends.signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${String(answer.statusCode)} ${text}`);
    if (!text.trimEnd().endsWith('data: [DONE]')) throw new Error(`cut off after ${text.slice(-200)}`);
  }
}
