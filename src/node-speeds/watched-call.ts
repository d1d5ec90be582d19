import { companyOf, companyWithin, type Company } from './company.js';
import type { Measured } from './expected-time.js';
import { learn } from './measurement.js';
import { loadOf, type NodeState, type SpeedHop } from './node-state.js';
import type { CallWork, HopLoad } from './route-delay.js';
import type { SpeedConstants } from './speed-constants.js';

/** What is known of a call when it is given to a route. */
export interface CallStart {
  readonly promptTokens: number;
  readonly mostOutputTokens: number | null;
  readonly isStream: boolean;
}

/** Where beliefs are kept. */
export interface SpeedSource {
  readonly constants: SpeedConstants;
  stateOf(model: string, hop: SpeedHop, now: number): NodeState;
  workOf(
    model: string,
    ask: { promptTokens: number; mostOutputTokens: number | null },
    now: number,
  ): CallWork;
  usual(model: string, now: number): CallWork;
  sized(model: string, work: CallWork, now: number): void;
}

/** Progress over less than this says little. */
const LEAST_PROGRESS_SECONDS = 4.9;
const LEAST_PROGRESS_TOKENS = 2;
/** What is left of a stream at its end may be shorter, but not less than this. */
const LEAST_TAIL_SECONDS = 0.1;
const LEAST_TAIL_TOKENS = 8;
/** What the way to a node and back may take, beside what the node does. */
const OVERHEAD_SECONDS = 0.5;
const MOST_OVERHEAD_NOISE = 10;
/** Silence counts as evidence anew when it has lasted so many times longer. */
const SILENCE_STEP = 2;
const SILENCE_NOISE = 2;

/**
 * One call under way on a route, watched for what it says of the speeds of its nodes. Told of its first token, looked at
 * every few seconds, told how it ended; a failure says nothing of speed.
 */
export class WatchedCall {
  private readonly states: readonly NodeState[];
  private readonly companyAtStart: readonly Company[];
  /** The sums over all looks, for an answer that is only measured as a whole. */
  private readonly others: number[];
  private looks = 1;
  private hasToken = false;
  private isOver = false;
  private isDeaf = false;
  private silenceSeconds = 0;
  private seenAt: number;
  private seenChunks = 0;
  private companySeen: readonly Company[];

  constructor(
    private readonly speeds: SpeedSource,
    private readonly model: string,
    private readonly hops: readonly SpeedHop[],
    private readonly start: CallStart,
    private readonly startedAt: number,
  ) {
    this.states = hops.map((hop) => speeds.stateOf(model, hop, startedAt));
    this.companyAtStart = this.states.map(({ headcount }) => companyOf(headcount));
    this.companySeen = this.companyAtStart;
    this.others = this.companyAtStart.map(({ others }) => others);
    this.seenAt = startedAt;
    this.count('calls', 1);
    if (start.isStream) this.count('streams', 1);
  }

  /** A stream's first content chunk. */
  firstToken(now: number): void {
    if (this.hasToken || this.isOver || !this.start.isStream) return;
    this.hasToken = true;
    const seconds = now - this.startedAt;
    const noise = this.speeds.constants.firstTokenNoise + overheadNoise(seconds);
    this.learn(this.companyAtStart, this.firstTokenWork(now), seconds, noise, now);
    this.count('running', 1);
    this.seenAt = now;
    this.companySeen = this.company();
  }

  /** To be called every 5 s, and with how many content chunks have come in all. */
  look(chunks: number, now: number): void {
    if (this.isOver || this.isDeaf) return;
    const company = this.company();
    company.forEach(({ others }, at) => (this.others[at] = (this.others[at] ?? 0) + others));
    this.looks += 1;
    if (this.hasToken) this.progress(chunks, company, now);
    else this.silence(now);
  }

  /** What a model writes of a tool call may come all at once at its end: from here on silence and progress say nothing. */
  toolCallBegan(): void {
    this.isDeaf = true;
  }

  /** @param usage as the head told it, or null; an answer of nobody knows how many tokens is no measurement */
  finished(usage: CallWork | null, chunks: number, now: number): void {
    if (this.isOver) return;
    if (usage !== null) {
      this.speeds.sized(this.model, usage, now);
      if (!this.start.isStream) this.wholeAnswer(usage, now);
      else if (!this.isDeaf) this.tail(usage, chunks, now);
    }
    this.ended();
  }

  /** Counts the call out, whatever ended it. */
  ended(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.count('calls', -1);
    if (this.start.isStream) this.count('streams', -1);
    if (this.hasToken) this.count('running', -1);
  }

  private wholeAnswer(usage: CallWork, now: number): void {
    const company = this.companyAtStart.map((atStart, at) => ({
      ...atStart,
      others: (this.others[at] ?? 0) / this.looks,
    }));
    const seconds = now - this.startedAt;
    this.learn(company, usage, seconds, this.speeds.constants.answerNoise + overheadNoise(seconds), now);
  }

  /** What came since the last look; all there is of a stream that was over before the first. */
  private tail(usage: CallWork, chunks: number, now: number): void {
    this.states[0]?.chunkScale.add(usage.outputTokens, chunks);
    const seconds = now - this.seenAt;
    const tokens = (usage.outputTokens * (chunks - this.seenChunks)) / Math.max(1, chunks);
    if (!this.hasToken || seconds < LEAST_TAIL_SECONDS || tokens < LEAST_TAIL_TOKENS) return;
    const work = { promptTokens: 0, outputTokens: tokens };
    const noise = this.speeds.constants.progressNoise + overheadNoise(seconds);
    this.learn(this.between(this.company()), work, seconds, noise, now, { hasNoLine: true });
  }

  private between(company: readonly Company[]): Company[] {
    return company.map((here, at) => {
      const before = this.companySeen[at] ?? here;
      return { ...here, others: (here.others + before.others) / 2 };
    });
  }

  private progress(chunks: number, company: readonly Company[], now: number): void {
    const seconds = now - this.seenAt;
    const tokens = (chunks - this.seenChunks) * (this.states[0]?.chunkScale.tokensPerChunk ?? 1);
    if (seconds < LEAST_PROGRESS_SECONDS) return;
    if (tokens < LEAST_PROGRESS_TOKENS) {
      this.stall(company, seconds, now);
      return;
    }
    const work = { promptTokens: 0, outputTokens: tokens };
    this.learn(this.between(company), work, seconds, this.speeds.constants.progressNoise, now, {
      hasNoLine: true,
    });
    this.seenAt = now;
    this.seenChunks = chunks;
    this.silenceSeconds = 0;
    this.companySeen = company;
  }

  /** A stream that has begun and gives nothing more: all that is known is that these tokens take longer. */
  private stall(company: readonly Company[], seconds: number, now: number): void {
    if (seconds < SILENCE_STEP * this.silenceSeconds) return;
    this.silenceSeconds = seconds;
    const work = { promptTokens: 0, outputTokens: LEAST_PROGRESS_TOKENS };
    const noise = SILENCE_NOISE * this.speeds.constants.progressNoise;
    this.learn(company, work, seconds, noise, now, { hasNoLine: true, isCensored: true });
  }

  private silence(now: number): void {
    const seconds = now - this.startedAt;
    if (seconds < SILENCE_STEP * this.silenceSeconds) return;
    this.silenceSeconds = seconds;
    const work = this.start.isStream ? this.firstTokenWork(now) : this.longAnswer(now);
    const noise = SILENCE_NOISE * this.speeds.constants.answerNoise;
    this.learn(this.companyAtStart, work, seconds, noise, now, { isCensored: true });
  }

  private firstTokenWork(now: number): CallWork {
    return { ...this.speeds.workOf(this.model, this.start, now), outputTokens: 1 };
  }

  /** An answer in one piece may just be a long one. */
  private longAnswer(now: number): CallWork {
    const work = this.speeds.workOf(this.model, this.start, now);
    return { ...work, outputTokens: work.outputTokens * 2 };
  }

  private company(): Company[] {
    return this.states.map(({ headcount }) => companyWithin(headcount));
  }

  private learn(
    company: readonly Company[],
    work: CallWork,
    seconds: number,
    noise: number,
    now: number,
    { hasNoLine = false, isCensored = false } = {},
  ): void {
    const loads = this.hops.map((hop, at): HopLoad => {
      // Asked for anew: ages the belief, and brings back a node that was forgotten meanwhile.
      return loadOf(this.speeds.stateOf(this.model, hop, now), hop, company[at] ?? ALONE);
    });
    const usual = hasNoLine ? null : this.speeds.usual(this.model, now);
    const measured: Measured = { work, seconds, usual, isCensored, noise };
    learn(loads, measured, this.speeds.constants);
  }

  private count(what: 'calls' | 'streams' | 'running', by: number): void {
    for (const { headcount } of this.states) headcount[what] = Math.max(0, headcount[what] + by);
  }
}

const ALONE: Company = { others: 0, streams: 0, running: 0 };

/** Variance of the log of a time so short that the way there may be a good part of it. */
function overheadNoise(seconds: number): number {
  return seconds > 0 ? Math.min(MOST_OVERHEAD_NOISE, (OVERHEAD_SECONDS / seconds) ** 2) : MOST_OVERHEAD_NOISE;
}
