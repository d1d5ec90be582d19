import { startTracker } from '../dist/bootstrap.js';
import { CallsService, EventsService } from '../dist/calls/index.js';
import { TurnsService } from '../dist/chat-proxy/turns.service.js';
import { HeadPoolsService } from '../dist/chat-proxy/upstream/head-pools.service.js';
import { NodeHealthService } from '../dist/node-health/index.js';
import { readSettings } from '../dist/settings/index.js';

/** A tracker in this process, on a free loopback port, with these settings and silent. */
export async function stageTracker(env = {}) {
  const reading = readSettings({
    argv: ['--port', '0'],
    env: { MESHNET_LOG_LEVEL: 'silent', MESHNET_DRAIN_SECONDS: '1', ...env },
  });
  if (reading.kind !== 'run') throw new Error(`these settings give ${JSON.stringify(reading)}`);
  const tracker = await startTracker(reading.settings);
  await tracker.ready;
  return new StagedTracker(tracker);
}

class StagedTracker {
  constructor(tracker) {
    this.tracker = tracker;
    this.url = tracker.url;
  }

  async ask(path, { method = 'GET', body } = {}) {
    const answer = await fetch(this.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return answer.json();
  }

  /** Joins a server of a whole model. @returns its node id */
  async join(node) {
    return (await this.ask('/v1/nodes', { method: 'POST', body: node })).node_id;
  }

  async node(nodeId) {
    const { data } = await this.ask('/v1/nodes');
    return data.find(({ node_id }) => node_id === nodeId);
  }

  /** What the tracker holds for calls under way; all of it is 0 when there are none. */
  held() {
    const get = (room) => this.tracker.app.get(room);
    return {
      inFlight: get(NodeHealthService).inFlight,
      openCalls: get(CallsService).openCount,
      waiting: get(TurnsService).waitingCount,
      watchers: get(EventsService).watcherCount,
    };
  }

  get pools() {
    return this.tracker.app.get(HeadPoolsService).size;
  }

  stop() {
    return this.tracker.stop();
  }
}
