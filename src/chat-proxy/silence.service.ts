import { Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';

/** An attempt that has been silent for far longer than usual. */
export interface SilentAttempt {
  readonly head: MeshNode;
  /** Whose chat it is. */
  readonly caller: string;
  /** The route gave the chat nothing so far. */
  gaveNothing(): void;
}

interface UsualMs {
  stream: number | null;
  json: number | null;
}

/** A new observation's weight in the usual time. */
const STEP = 0.1;
/** Silence is long beyond this multiple of the usual wait, and never sooner than a second. */
const TIMES_USUAL = 5;
const LEAST_SILENT_MS = 1_000;
/** The same while no first word of the model was ever heard. */
const UNKNOWN_SILENT_MS = 30_000;

/**
 * How long a model's chats usually wait for the first word (a JSON answer's only one), as a decayed geometric mean in
 * ms, and which nodes have fallen silent: once two callers wait for one node five times as long, its routes have given
 * them nothing.
 */
@Injectable()
export class SilenceService {
  private readonly usual = new Map<string, UsualMs>();
  private readonly silent = new WeakMap<MeshNode, Set<SilentAttempt>>();

  constructor(bus: EventBus) {
    bus.on('model.forgotten', ({ model }) => this.usual.delete(model));
  }

  /** Returns the usual wait in ms, or null while none was seen. */
  usualMs(model: string, isStream: boolean): number | null {
    const usual = this.usual.get(model);
    return (isStream ? usual?.stream : usual?.json) ?? null;
  }

  /** Returns the silence in ms that is worth a note; 30 s while nothing is usual. */
  longMs(model: string, isStream: boolean): number {
    const usual = this.usualMs(model, isStream);
    return usual === null ? UNKNOWN_SILENT_MS : Math.max(LEAST_SILENT_MS, TIMES_USUAL * usual);
  }

  /** A first word came. */
  spoke(model: string, isStream: boolean, afterMs: number): void {
    let usual = this.usual.get(model);
    if (usual === undefined) this.usual.set(model, (usual = { stream: null, json: null }));
    const kind = isStream ? 'stream' : 'json';
    const ms = Math.max(1, afterMs);
    const before = usual[kind];
    usual[kind] = before === null ? ms : before * (ms / before) ** STEP;
  }

  /** An attempt has been silent for long. */
  fellSilent(attempt: SilentAttempt): void {
    const attempts = this.silent.get(attempt.head) ?? new Set();
    this.silent.set(attempt.head, attempts);
    attempts.add(attempt);
    const callers = new Set([...attempts].map(({ caller }) => caller));
    if (callers.size < 2) return;
    for (const one of attempts) one.gaveNothing();
  }

  /** It is over, or has spoken. */
  ended(attempt: SilentAttempt): void {
    this.silent.get(attempt.head)?.delete(attempt);
  }
}
