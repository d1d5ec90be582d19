import { describe, expect, it } from '@jest/globals';
import { helpText, readSettings, type Settings } from './index.js';

function run(argv: string[], env: Record<string, string> = {}): Settings {
  const reading = readSettings({ argv, env });
  if (reading.kind !== 'run') throw new Error(JSON.stringify(reading));
  return reading.settings;
}

function faults(argv: string[], env: Record<string, string> = {}): readonly string[] {
  const reading = readSettings({ argv, env });
  return reading.kind === 'faults' ? reading.faults : [];
}

describe('settings', () => {
  it('have the defaults of the contract', () => {
    const { routing, speeds, serving, nodes, nodeNetworks, walletProof, calls, traces } = run([]);
    expect({ ...routing }).toEqual({
      exploreShare: 0.3,
      weightAlpha: 1,
      statsHalfLifeSeconds: 600,
      minSampleTokens: 8,
      maxCandidates: 8,
      seed: null,
      policy: 'proportional',
      enumeration: 'greedy',
      loadHarm: 0.25,
      safeScouting: 0,
      admissionSecondsPerToken: 0,
      controlShare: 0.02,
    });
    expect({ ...speeds }).toEqual({
      decaySeconds: 600,
      driftSigma: 0.7,
      registeredSigma: 0.4,
      unregisteredSigma: 1,
      noiseSigma: 0.22,
      firstTokenSigma: 0.4,
      prefillRatio: 0.1,
      sizeQuantile: 0.65,
    });
    expect({ ...serving }).toEqual({
      host: '127.0.0.1',
      port: 8080,
      maxBodyBytes: 33_554_432,
      maxInFlight: 2000,
      nodeMaxConnections: 512,
      drainSeconds: 120,
      logLevel: 'info',
    });
    expect({ ...nodes }).toEqual({ nodesFile: null, nodeUrls: [], leaseSeconds: 90, coalesceMs: 250 });
    expect({ ...nodeNetworks }).toEqual({ networks: null, hasNodeTokens: false });
    expect({ ...walletProof }).toEqual({ required: 'false', trackerName: 'meshnet' });
    expect({ ...calls }).toEqual({
      connectTimeoutSeconds: 5,
      firstByteTimeoutSeconds: 600,
      idleTimeoutSeconds: 300,
      totalTimeoutSeconds: 7200,
      streamPingSeconds: 15,
      maxAttempts: 3,
      queueSeconds: 60,
      queueLength: 1000,
    });
    expect({ ...traces }).toEqual({
      endpoint: null,
      tracesEndpoint: null,
      headers: {},
      tracesHeaders: {},
      timeoutMs: 10_000,
      serviceName: 'meshnet-tracker',
      sampledShare: 1,
    });
  });

  it('come from the environment, and a flag wins over it', () => {
    const env = {
      MESHNET_ROUTE_EXPLORE_SHARE: '0.1',
      MESHNET_PORT: '9000',
      MESHNET_ROUTE_STATS_HALF_LIFE: '0.5',
    };
    const settings = run(['--route-explore-share', '0.2', '--route-weight-alpha=2'], env);
    expect(settings.routing).toMatchObject({ exploreShare: 0.2, weightAlpha: 2, statsHalfLifeSeconds: 0.5 });
    expect(settings.serving.port).toBe(9000);
  });

  it('keep twelve candidates where they are diverse, unless told how many', () => {
    const diverse = { MESHNET_ROUTE_ENUMERATION: 'diverse' };
    expect(run([], diverse).routing).toMatchObject({ enumeration: 'diverse', maxCandidates: 12 });
    expect(run([], { ...diverse, MESHNET_ROUTE_MAX_CANDIDATES: '8' }).routing.maxCandidates).toBe(8);
    expect(run([], { MESHNET_ROUTE_ENUMERATION: 'greedy' }).routing.maxCandidates).toBe(8);
  });

  it('name the enumerations there are when asked for another', () => {
    expect(faults([], { MESHNET_ROUTE_ENUMERATION: 'yen' })).toEqual([
      'MESHNET_ROUTE_ENUMERATION: must be one of greedy, diverse',
    ]);
  });

  it('refuse admission under a policy that predicts nothing', () => {
    const MESHNET_ADMISSION_SECONDS_PER_TOKEN = '0.2';
    expect(faults([], { MESHNET_ADMISSION_SECONDS_PER_TOKEN })).toEqual([
      'MESHNET_ADMISSION_SECONDS_PER_TOKEN: needs MESHNET_ROUTE_POLICY=least-expected-delay: no other policy predicts',
    ]);
    const MESHNET_ROUTE_POLICY = 'least-expected-delay';
    const { routing } = run([], { MESHNET_ADMISSION_SECONDS_PER_TOKEN, MESHNET_ROUTE_POLICY });
    expect(routing.admissionSecondsPerToken).toBe(0.2);
    expect(faults([], { MESHNET_ADMISSION_SECONDS_PER_TOKEN: '0' })).toEqual([]);
  });

  it('honour zero instead of taking it for nothing', () => {
    const settings = run(['--port', '0'], { MESHNET_ROUTE_EXPLORE_SHARE: '0', MESHNET_DRAIN_SECONDS: '0' });
    expect(settings.routing.exploreShare).toBe(0);
    expect(settings.serving).toMatchObject({ port: 0, drainSeconds: 0 });
  });

  it('take empty for the default and ignore blanks around a value', () => {
    const settings = run([], {
      MESHNET_PORT: '  ',
      MESHNET_ROUTE_WEIGHT_ALPHA: ' 2 ',
      MESHNET_ROUTE_SEED: '',
    });
    expect(settings.serving.port).toBe(8080);
    expect(settings.routing).toMatchObject({ weightAlpha: 2, seed: null });
  });

  it('tell all faults at once, each naming variable and range and never the value', () => {
    const told = faults(['--route-explore-share', '1.7', '--colour', '--port'], {
      MESHNET_ROUTE_WEIGHT_ALPHA: 'canary-4711',
      MESHNET_ROUTE_STATS_HALF_LIFE: '0',
      MESHNET_ROUTE_POLICY: 'fastest',
      MESHNET_MAX_BODY_BYTES: '0x500',
      MESHNET_ROUTE_MIN_SAMPLE_TOKENS: '8.5',
    });
    expect(told).toEqual([
      '--colour: is not a flag of this program; see --help',
      '--port: needs a value',
      '--route-explore-share: must be a number from 0 to 1',
      'MESHNET_ROUTE_WEIGHT_ALPHA: must be a number from 0 to 16',
      'MESHNET_ROUTE_STATS_HALF_LIFE: must be a number of seconds from 0.001 to 1000000000',
      'MESHNET_ROUTE_MIN_SAMPLE_TOKENS: must be a whole number from 1 to 1000000',
      'MESHNET_ROUTE_POLICY: must be one of proportional, least-expected-delay',
      'MESHNET_MAX_BODY_BYTES: must be a whole number of bytes from 1024 to 1073741824',
    ]);
  });

  it.each(['NaN', 'Infinity', '-1', '1e309', '0x1', '1,5', 'true', '--'])(
    'refuse %j as an explore share',
    (text) => {
      expect(faults([], { MESHNET_ROUTE_EXPLORE_SHARE: text })).toEqual([
        'MESHNET_ROUTE_EXPLORE_SHARE: must be a number from 0 to 1',
      ]);
    },
  );

  it('take --node again and again, normalised', () => {
    const settings = run(['--node', 'http://localhost:8000/v1/', '--node', 'http://[::1]:11434']);
    expect(settings.nodes.nodeUrls).toEqual(['http://localhost:8000', 'http://[::1]:11434']);
  });

  it.each(['localhost:8000', 'http://u:canary@h', 'http://h?key=canary', 'ftp://h', 'http://0.0.0.0:80'])(
    'refuse --node %s without repeating it',
    (url) => {
      expect(faults(['--node', url])).toEqual([
        '--node: must be an http(s) URL without credentials, query or fragment',
      ]);
    },
  );

  it('of traces have the names that OpenTelemetry gives them, and tell no secret', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(run([], env).traces).toMatchObject({
      endpoint: 'http://c:4318',
      headers: { 'api-key': 'k' },
      sampledShare: 0.25,
    });
    const told = faults([], {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:canary@c',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'canary',
      OTEL_EXPORTER_OTLP_HEADERS: 'canary',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=%canary',
      OTEL_EXPORTER_OTLP_TIMEOUT: '0',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    });
    expect(told).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http(s) URL without credentials, query or fragment',
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: must be an http(s) URL without credentials or fragment',
      'OTEL_EXPORTER_OTLP_HEADERS: must be a list like name=value,name=value, values percent-encoded',
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS: must be a list like name=value,name=value, values percent-encoded',
      'OTEL_EXPORTER_OTLP_TIMEOUT: must be a whole number of milliseconds from 1 to 600000',
      'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
    ]);
  });

  it('take networks of nodes as prefixes, addresses and words', () => {
    const MESHNET_NODE_NETWORKS = ' 10.0.0.0/8, fd00::/8,192.168.0.7, Loopback';
    expect(run([], { MESHNET_NODE_NETWORKS }).nodeNetworks.networks).toEqual([
      { address: '10.0.0.0', prefix: 8 },
      { address: 'fd00::', prefix: 8 },
      { address: '192.168.0.7', prefix: 32 },
      'loopback',
    ]);
    expect(run([], { MESHNET_NODE_TOKENS: 'lab=a-token-for-the-lab' }).nodeNetworks.hasNodeTokens).toBe(true);
    expect(run([], { MESHNET_NODE_TOKENS_FILE: '/f' }).nodeNetworks.hasNodeTokens).toBe(true);
    expect(run([], { MESHNET_NODE_TOKENS: ' ' }).nodeNetworks.hasNodeTokens).toBe(false);
  });

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/',
    'h',
    ',',
    '10.0.0.0/8;::/0',
    '010.0.0.1/8',
    '10.0.0.0/-1',
  ])('refuse %j as networks of nodes, without repeating it', (text) => {
    expect(faults([], { MESHNET_NODE_NETWORKS: text })).toEqual([
      'MESHNET_NODE_NETWORKS: must be a list of networks such as 10.0.0.0/8,fd00::/8 or of the words loopback, private, public',
    ]);
  });

  it('refuse an argument that is no flag, by its place', () => {
    expect(faults(['canary'])).toEqual(['argument 1: is not a flag; see --help']);
  });

  it('name variables that have no effect', () => {
    const reading = readSettings({ argv: [], env: { MESHNET_ROUTE_ALPHA: '1', PATH: '/bin' } });
    expect(reading).toMatchObject({ kind: 'run', unknownVariables: ['MESHNET_ROUTE_ALPHA'] });
  });

  it('are frozen', () => {
    const settings = run([]);
    expect(() => Object.assign(settings.routing, { exploreShare: 1 })).toThrow(TypeError);
  });

  it('are all in the help, which is given before any fault', () => {
    expect(readSettings({ argv: ['--help', '--colour'], env: {} }).kind).toBe('help');
    expect(readSettings({ argv: ['--version'], env: {} }).kind).toBe('version');
    for (const name of [
      '--route-stats-half-life',
      'MESHNET_ROUTE_MIN_SAMPLE_TOKENS',
      '--node',
      '(default 8080)',
    ]) {
      expect(helpText()).toContain(name);
    }
  });
});
