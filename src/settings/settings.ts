import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Max,
  Min,
  ValidateIf,
  ROUTE_ENUMERATIONS,
  ROUTE_POLICIES,
  type RouteEnumeration,
  type RoutePolicy,
} from '../kernel/index.js';
import {
  readCollectorBase,
  readCollectorUrl,
  readEndpoint,
  readHeaders,
  readHost,
  readNumber,
  readText,
} from './readers.js';
import { NodeNetworkSettings } from './node-network-settings.js';
import { Setting } from './setting.decorator.js';
import { AccessSettings } from './access-settings.js';
import { BrowserSettings } from './browser-settings.js';
import { LimitSettings } from './limit-settings.js';
import { SpeedSettings } from './speed-settings.js';
import { WalletProofSettings } from './wallet-proof-settings.js';

/** A duration must be something, and short enough to be a sum of milliseconds without losing any. */
const SHORTEST_SECONDS = 0.001;
const LONGEST_SECONDS = 1e9;
const SECONDS_RANGE = 'a number of seconds from 0.001 to 1000000000';
const FINITE = { allowNaN: false, allowInfinity: false };
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

function oneOf(names: readonly string[]): string {
  return `one of ${names.join(', ')}`;
}

/** Few candidates of greedy enumeration share nothing; diverse ones are worth more of them. */
function mostCandidatesOf(routing: object): number {
  const { enumeration, maxCandidates } = routing as RoutingSettings;
  return enumeration === 'diverse' ? 12 : maxCandidates;
}

/** Only a policy that predicts what load does to speed can tell when there is too much of it. */
function predictsOrAdmitsAll({ policy, admissionSecondsPerToken }: RoutingSettings): boolean {
  return admissionSecondsPerToken === 0 || policy === 'least-expected-delay';
}

/** How routes are enumerated, learned and chosen (ADR-0021). */
export class RoutingSettings {
  @Setting({
    env: 'MESHNET_ROUTE_EXPLORE_SHARE',
    flag: '--route-explore-share',
    range: 'a number from 0 to 1',
    help: 'share of chats that scout routes not yet proven',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  exploreShare = 0.3;

  @Setting({
    env: 'MESHNET_ROUTE_WEIGHT_ALPHA',
    flag: '--route-weight-alpha',
    range: 'a number from 0 to 16',
    help: 'a proven route gets traffic in proportion to its tokens/s to this power',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(16)
  weightAlpha = 1;

  @Setting({
    env: 'MESHNET_ROUTE_STATS_HALF_LIFE',
    flag: '--route-stats-half-life',
    range: SECONDS_RANGE,
    help: 'seconds after which a sample counts half',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  statsHalfLifeSeconds = 600;

  @Setting({
    env: 'MESHNET_ROUTE_MIN_SAMPLE_TOKENS',
    range: 'a whole number from 1 to 1000000',
    help: 'shorter answers are no samples',
    read: readNumber,
  })
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  minSampleTokens = 8;

  @Setting({
    env: 'MESHNET_ROUTE_MAX_CANDIDATES',
    range: 'a whole number from 1 to 64',
    help: 'candidate routes of more than one hop kept per model; 12 where they are diverse',
    read: readNumber,
    unlessGiven: mostCandidatesOf,
  })
  @IsInt()
  @Min(1)
  @Max(64)
  maxCandidates = 8;

  @Setting({
    env: 'MESHNET_ROUTE_SEED',
    range: 'a whole number from 0 to 4294967295',
    help: 'seeds the dice of route selection',
    read: readNumber,
  })
  @ValidateIf((settings: RoutingSettings) => settings.seed !== null)
  @IsInt()
  @Min(0)
  @Max(2 ** 32 - 1)
  seed: number | null = null;

  @Setting({
    env: 'MESHNET_ROUTE_POLICY',
    range: oneOf(ROUTE_POLICIES),
    help: 'how a route is chosen',
    read: readText,
  })
  @IsIn(ROUTE_POLICIES)
  policy: RoutePolicy = 'proportional';

  @Setting({
    env: 'MESHNET_ROUTE_ENUMERATION',
    range: oneOf(ROUTE_ENUMERATIONS),
    help: 'how candidate routes are found',
    read: readText,
  })
  @IsIn(ROUTE_ENUMERATIONS)
  enumeration: RouteEnumeration = 'greedy';

  @Setting({
    env: 'MESHNET_ROUTE_LOAD_HARM',
    range: 'a number from 0 to 16',
    help: 'least-expected-delay: what a second taken from other calls weighs',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(16)
  loadHarm = 0.25;

  @Setting({
    env: 'MESHNET_ROUTE_CONTROL_SHARE',
    range: 'a number from 0 to 1',
    help: 'least-expected-delay: share of chats routed by least in-flight, for comparison',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  controlShare = 0.02;

  @Setting({
    env: 'MESHNET_ROUTE_SAFE_SCOUTING',
    range: 'a number from 0 to 1',
    help: "what a scout's stream has to prove before its client sees it, as a share of the best proven tokens/s; 0: nothing",
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  safeScouting = 0;

  @Setting({
    env: 'MESHNET_ADMISSION_SECONDS_PER_TOKEN',
    range: 'a number of seconds from 0 to 1000000',
    help: 'least-expected-delay: chats queue while the best route is predicted to be slower than this; 0: never',
    read: readNumber,
    needs: {
      isMet: (routing) => predictsOrAdmitsAll(routing as RoutingSettings),
      words: 'MESHNET_ROUTE_POLICY=least-expected-delay: no other policy predicts',
    },
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(1_000_000)
  admissionSecondsPerToken = 0;
}

export {
  AccessSettings,
  BrowserSettings,
  LimitSettings,
  NodeNetworkSettings,
  SpeedSettings,
  WalletProofSettings,
};

/** How the tracker itself is served. */
export class ServingSettings {
  @Setting({
    env: 'MESHNET_HOST',
    flag: '--host',
    range: 'a host name or address to listen on',
    help: 'address to listen on',
    read: readHost,
  })
  @IsString()
  host = '127.0.0.1';

  @Setting({
    env: 'MESHNET_PORT',
    flag: '--port',
    range: 'a whole number from 0 to 65535',
    help: 'port to listen on; 0 takes any free one',
    read: readNumber,
  })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port = 8080;

  @Setting({
    env: 'MESHNET_MAX_BODY_BYTES',
    range: 'a whole number of bytes from 1024 to 1073741824',
    help: 'a longer chat body gets 413',
    read: readNumber,
  })
  @IsInt()
  @Min(1024)
  @Max(2 ** 30)
  maxBodyBytes = 32 * 1024 * 1024;

  @Setting({
    env: 'MESHNET_MAX_IN_FLIGHT',
    range: 'a whole number from 1 to 1000000',
    help: 'chats under way at once; more get 503',
    read: readNumber,
  })
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxInFlight = 2000;

  @Setting({
    env: 'MESHNET_NODE_MAX_CONNECTIONS',
    range: 'a whole number from 1 to 100000',
    help: 'connections kept to one node',
    read: readNumber,
  })
  @IsInt()
  @Min(1)
  @Max(100_000)
  nodeMaxConnections = 512;

  @Setting({
    env: 'MESHNET_DRAIN_SECONDS',
    range: 'a number of seconds from 0 to 1000000000',
    help: 'how long running chats may go on after SIGTERM',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(LONGEST_SECONDS)
  drainSeconds = 120;

  @Setting({
    env: 'MESHNET_LOG_LEVEL',
    range: oneOf(LOG_LEVELS),
    help: 'the least important line that is logged',
    read: readText,
  })
  @IsIn(LOG_LEVELS)
  logLevel: LogLevel = 'info';
}

/** Where nodes come from and how long they count as alive. */
export class NodesSettings {
  @Setting({
    env: 'MESHNET_NODES_FILE',
    range: 'the path of a readable JSON file of nodes',
    help: 'JSON list of servers that cannot register themselves',
    read: readText,
  })
  @ValidateIf((settings: NodesSettings) => settings.nodesFile !== null)
  @IsString()
  nodesFile: string | null = null;

  @Setting({
    flag: '--node',
    repeatable: true,
    range: 'an http(s) URL without credentials, query or fragment',
    help: 'joins an OpenAI-compatible server and its models; may be given again',
    read: readEndpoint,
  })
  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  nodeUrls: readonly string[] = [];

  @Setting({
    env: 'MESHNET_NODE_LEASE_SECONDS',
    range: SECONDS_RANGE,
    help: 'a node is gone this long after its last sign of life',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  leaseSeconds = 90;

  @Setting({
    env: 'MESHNET_TOPOLOGY_COALESCE_MS',
    range: 'a number of milliseconds from 0 to 60000',
    help: 'a model whose nodes come and go all the time has its routes rebuilt once in this time',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(60_000)
  coalesceMs = 250;
}

/** How long one call may take, and how often it is tried. */
export class CallSettings {
  @Setting({
    env: 'MESHNET_CONNECT_TIMEOUT_SECONDS',
    range: SECONDS_RANGE,
    help: 'until a node has accepted the connection',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  connectTimeoutSeconds = 5;

  @Setting({
    env: 'MESHNET_FIRST_BYTE_TIMEOUT_SECONDS',
    range: SECONDS_RANGE,
    help: "until a stream's first event with content, or a whole JSON answer",
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  firstByteTimeoutSeconds = 600;

  @Setting({
    env: 'MESHNET_IDLE_TIMEOUT_SECONDS',
    range: SECONDS_RANGE,
    help: 'between two data events of a stream; comments do not count',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  idleTimeoutSeconds = 300;

  @Setting({
    env: 'MESHNET_TOTAL_TIMEOUT_SECONDS',
    range: SECONDS_RANGE,
    help: 'for the whole call',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(SHORTEST_SECONDS)
  @Max(LONGEST_SECONDS)
  totalTimeoutSeconds = 7200;

  @Setting({
    env: 'MESHNET_STREAM_PING_SECONDS',
    range: 'a number of seconds from 0 to 1000000000',
    help: 'a silent stream gets a comment this often, so that nobody in between cuts it; 0 turns that off',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(LONGEST_SECONDS)
  streamPingSeconds = 15;

  @Setting({
    env: 'MESHNET_MAX_ATTEMPTS',
    range: 'a whole number from 1 to 64',
    help: 'routes tried for one call',
    read: readNumber,
  })
  @IsInt()
  @Min(1)
  @Max(64)
  maxAttempts = 3;

  @Setting({
    env: 'MESHNET_QUEUE_SECONDS',
    range: 'a number of seconds from 0 to 1000000000',
    help: 'how long a call waits when every node that could serve it is full; then 429',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(LONGEST_SECONDS)
  queueSeconds = 60;

  @Setting({
    env: 'MESHNET_QUEUE_LENGTH',
    range: 'a whole number from 0 to 1000000',
    help: 'calls that may wait at once; more get 429',
    read: readNumber,
  })
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  queueLength = 1000;
}

const HEADERS_RANGE = 'a list like name=value,name=value, values percent-encoded';

/**
 * Where traces go. The names are OpenTelemetry's own (its "OTLP exporter" and "SDK configuration" pages), so that whoever
 * runs a collector already knows them. The headers are secrets.
 */
export class TracesSettings {
  @Setting({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    range: 'an http(s) URL without credentials, query or fragment',
    help: 'collector that spans of calls are sent to, at its path v1/traces; without one nothing is traced',
    read: readCollectorBase,
  })
  @ValidateIf((settings: TracesSettings) => settings.endpoint !== null)
  @IsString()
  endpoint: string | null = null;

  @Setting({
    env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    range: 'an http(s) URL without credentials or fragment',
    help: 'the same as a whole URL, used as it is and before the other',
    read: readCollectorUrl,
  })
  @ValidateIf((settings: TracesSettings) => settings.tracesEndpoint !== null)
  @IsString()
  tracesEndpoint: string | null = null;

  @Setting({
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    range: HEADERS_RANGE,
    help: "sent to the collector with every batch, a collector's key say",
    read: readHeaders,
  })
  @IsObject()
  headers: Readonly<Record<string, string>> = {};

  @Setting({
    env: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    range: HEADERS_RANGE,
    help: 'the same, over the others',
    read: readHeaders,
  })
  @IsObject()
  tracesHeaders: Readonly<Record<string, string>> = {};

  @Setting({
    env: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    range: 'a whole number of milliseconds from 1 to 600000',
    help: 'how long a batch is tried to be sent, second tries included; then it is lost',
    read: readNumber,
  })
  @IsInt()
  @Min(1)
  @Max(600_000)
  timeoutMs = 10_000;

  @Setting({
    env: 'OTEL_SERVICE_NAME',
    range: 'a name',
    help: 'what the tracker is called in traces',
    read: readText,
  })
  @IsString()
  serviceName = 'meshnet-tracker';

  @Setting({
    env: 'OTEL_TRACES_SAMPLER_ARG',
    range: 'a number from 0 to 1',
    help: 'share of traces that are kept, of those that begin here; else the client has decided',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0)
  @Max(1)
  sampledShare = 1;
}

/** Everything an operator may set, one part per room. Frozen once read. */
export interface Settings {
  readonly routing: Readonly<RoutingSettings>;
  readonly speeds: Readonly<SpeedSettings>;
  readonly serving: Readonly<ServingSettings>;
  readonly nodes: Readonly<NodesSettings>;
  readonly nodeNetworks: Readonly<NodeNetworkSettings>;
  readonly walletProof: Readonly<WalletProofSettings>;
  readonly calls: Readonly<CallSettings>;
  readonly access: Readonly<AccessSettings>;
  readonly browsers: Readonly<BrowserSettings>;
  readonly limits: Readonly<LimitSettings>;
  readonly traces: Readonly<TracesSettings>;
}

/** The class behind each part of {@link Settings}, in the order in which `--help` shows them. */
export const SETTINGS_CLASSES = {
  routing: RoutingSettings,
  speeds: SpeedSettings,
  serving: ServingSettings,
  nodes: NodesSettings,
  nodeNetworks: NodeNetworkSettings,
  walletProof: WalletProofSettings,
  calls: CallSettings,
  access: AccessSettings,
  browsers: BrowserSettings,
  limits: LimitSettings,
  traces: TracesSettings,
} as const;
