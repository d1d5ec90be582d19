import { expect } from '@jest/globals';
import type { CallRecord } from '../../src/calls/index.js';
import { eventually } from './eventually.js';
import type { FakeHead } from './fake-head.js';
import type { TrackerApi } from './tracker-api.js';

/** The model of tests that are about one, whatever its layers. */
export const MODEL = 'm';

/** A chat that asks {@link MODEL} for something. */
export function aChat(more: object = {}): object {
  return { model: MODEL, messages: [{ role: 'user', content: 'Which way?' }], ...more };
}

/**
 * Registers a head that serves the whole of {@link MODEL}. While no route is proven, the one with the highest
 * `throughput_tps` is asked first.
 *
 * @returns its node id
 */
export async function join(
  api: TrackerApi,
  head: { readonly url: string },
  wallet: string,
  stated: object = {},
): Promise<string> {
  const { node_id } = await api.register({ wallet, endpoint: head.url, model: MODEL, ...stated });
  return node_id;
}

/** What the tracker holds against a whole-model node, or for it. */
export interface Standing {
  /** From one success too, since only failures lower it. */
  readonly isBlamed: boolean;
  readonly breaker: string;
  readonly samples: number;
  readonly inFlight: number;
}

/** Of a node of which nothing was learned, and to which nothing is under way. */
export const UNTOUCHED: Standing = { isBlamed: false, breaker: 'closed', samples: 0, inFlight: 0 };
/** Of a node that failed once. */
export const BLAMED: Standing = { ...UNTOUCHED, isBlamed: true };

export async function standingOf(api: TrackerApi, nodeId: string, model = MODEL): Promise<Standing> {
  const [nodes, { candidates }] = await Promise.all([api.nodes(), api.routing(model)]);
  const node = nodes.find((row) => row.node_id === nodeId && row.model === model);
  const route = candidates.find(({ hops }) => hops[0]?.node_id === nodeId);
  if (node === undefined || route === undefined) throw new Error(`${nodeId} serves no route of ${model}`);
  return {
    isBlamed: node.reputation < 1,
    breaker: node.breaker,
    samples: route.sample_count,
    inFlight: node.in_flight + route.in_flight,
  };
}

/** Resolves when so many chats have reached the head. */
export async function received(head: FakeHead, count = 1): Promise<void> {
  await eventually(() => expect(head.chats.length).toBe(count));
}

/** A client that left must be felt at the head within a second; a busy machine is given some more. */
export async function droppedSoon(head: FakeHead): Promise<void> {
  await eventually(() => expect(head.last.aborted).toBe(true), 2_500);
}

/** The record of a call, once it is over. */
export async function finishedCall(api: TrackerApi, requestId: string): Promise<CallRecord> {
  return eventually(async () => {
    const record = await api.call(requestId);
    expect(record.outcome).not.toBeNull();
    return record;
  });
}
