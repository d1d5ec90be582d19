import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { decode, embed } from './layer-codec.js';
import type { HopCaller } from './hop-caller.js';
import type { Route } from './hops.js';
import type { LayerRunner } from './layer-runner.js';

/** What a head generates: the tokens it is going to say, and how long the prompt was. */
export interface Generation {
  readonly tokens: readonly string[];
  readonly promptTokens: number;
}

/** Layers that cost nothing must not keep the process from its sockets. */
const TOKENS_A_TURN = 32;

/**
 * Sends each token through the whole route and yields what came out at its end. Ending it early, by the signal
 * or by `return`, frees the slots of all hops.
 */
export async function* generate(
  parts: { readonly runner: LayerRunner; readonly caller: HopCaller },
  { tokens, promptTokens }: Generation,
  route: Route,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const { runner, caller } = parts;
  const stay = await runner.admit(route.own, signal);
  const sequenceId = randomUUID();
  try {
    for (const [i, token] of tokens.entries()) {
      if (i % TOKENS_A_TURN === TOKENS_A_TURN - 1) await turn();
      const prefillTokens = i === 0 ? promptTokens : 0;
      const embedded = embed(token, runner.model, runner.numLayers);
      const state = await stay.run({ state: embedded, span: route.own, prefillTokens }, signal);
      const pass = {
        sequence_id: sequenceId,
        state: state.toString('base64'),
        prefill_tokens: prefillTokens,
      };
      yield route.rest.length === 0 ? decode(state) : await caller.forward(route.rest, pass, signal);
    }
  } finally {
    stay.leave();
    caller.release(route.rest, sequenceId);
  }
}
