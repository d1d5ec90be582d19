import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AxiosInstance, AxiosStatic } from 'axios';
import { isEndpointRefused, type NodeNetworksService } from '../node-networks/index.js';
import { readModelList, type ModelList } from './model-list.js';
import type { StaticEntry } from './nodes-file.js';
import { ProbeRequest } from './probe-request.js';
import type { PortState } from './work-under-way.js';

/** What a probe found: the server answers, and which models it names (null: it wasn't asked, or can't say). */
export interface Alive {
  readonly models: ModelList | null;
}

/** Why a probe failed, in words that hold no address and no key. */
export class ProbeFault extends Error {
  constructor(
    message: string,
    readonly port: PortState = 'other',
  ) {
    super(message);
  }
}

const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Asks listed servers whether they are there. Control plane: few requests, so axios and its comfort; but it is loaded
 * with the first of them, since a start without listed servers need not wait for it.
 */
export class Probe {
  private client: AxiosInstance | null = null;
  private readonly agents: readonly [HttpAgent, HttpsAgent];

  constructor(
    private readonly networks: NodeNetworksService,
    private readonly timeoutMs: number,
  ) {
    const lookup = networks.lookup(() => 'operator');
    this.agents = [new HttpAgent({ keepAlive: false, lookup }), new HttpsAgent({ keepAlive: false, lookup })];
  }

  /** @throws ProbeFault when the server isn't there, refuses us, or names no models where it has to */
  async ask(entry: StaticEntry, signal: AbortSignal): Promise<Alive> {
    if (entry.healthPath !== null) {
      const status = await this.get(entry, entry.healthPath, signal).then((answer) => answer.status);
      if (status < 200 || status > 299)
        throw new ProbeFault(`${entry.healthPath} answered ${String(status)}`);
      if (entry.models !== null) return { models: null };
    }
    const { status, data } = await this.get(entry, '/v1/models', signal);
    // A server that lacks the list is there all the same, if its models are known without.
    if (entry.models !== null && (status === 404 || status === 405)) return { models: null };
    if (status !== 200) throw new ProbeFault(`/v1/models answered ${String(status)}`);
    const models = readModelList(data);
    if (models === null && entry.models === null) throw new ProbeFault('/v1/models is no list of models');
    return { models };
  }

  private async get(
    entry: StaticEntry,
    path: string,
    signal: AbortSignal,
  ): Promise<{ status: number; data: unknown }> {
    if (!this.networks.mayConnect(new URL(entry.endpoint).hostname, 'operator')) throw refused();
    const { default: axios } = await import('axios');
    this.client ??= this.clientOf(axios);
    const request = new ProbeRequest(this.timeoutMs);
    try {
      return await this.client.get<unknown>(entry.endpoint + path, {
        signal,
        transport: request,
        headers: { ...entry.access.headers },
      });
    } catch (fault) {
      if (isEndpointRefused(fault)) throw refused();
      if (request.isLate)
        throw new ProbeFault('no answer in time', request.isAccepted ? 'accepts' : 'unclear');
      throw new ProbeFault(axios.isAxiosError(fault) ? (fault.code ?? 'no answer') : 'no answer');
    }
  }

  private clientOf(axios: AxiosStatic): AxiosInstance {
    return axios.create({
      // Neither another host nor a proxy of the environment is what the operator listed.
      maxRedirects: 0,
      proxy: false,
      maxContentLength: MOST_ANSWER_BYTES,
      httpAgent: this.agents[0],
      httpsAgent: this.agents[1],
      validateStatus: () => true,
      responseType: 'json',
      headers: { accept: 'application/json' },
    });
  }
}

function refused(): ProbeFault {
  return new ProbeFault('it leads to an address that no node may have');
}
