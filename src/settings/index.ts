/**
 * settings: what an operator may set, read once before anything else runs.
 *
 * Env first, flags over it, empty means the default. Each part is a class whose fields carry their variable,
 * flag, reader and range, so that the type, the check, `--help` and a fault can't drift apart. All faults are
 * told at once, naming variable and range and never a value (a value may be a secret). The parts are handed
 * on through ConfigModule, one injection token per room; only this room knows the environment.
 */
export { digestOf, hasTwins, KEY_RULE, readKey, type NamedKey } from './access-settings.js';
export { packageVersion } from './package-version.js';
export { processInput } from './process-input.js';
export { helpText, readSettings, type SettingsInput, type SettingsReading } from './read-settings.js';
export type { NodeNetwork } from './node-network-settings.js';
export {
  AccessSettings,
  BrowserSettings,
  CallSettings,
  LimitSettings,
  NodeNetworkSettings,
  NodesSettings,
  RoutingSettings,
  ServingSettings,
  SpeedSettings,
  TracesSettings,
  WalletProofSettings,
  type LogLevel,
  type Settings,
} from './settings.js';
export {
  ACCESS_SETTINGS,
  BROWSER_SETTINGS,
  CALL_SETTINGS,
  ENV_LOOKUP,
  LIMIT_SETTINGS,
  NODE_NETWORK_SETTINGS,
  NODES_SETTINGS,
  ROUTING_SETTINGS,
  SERVING_SETTINGS,
  SettingsModule,
  SPEED_SETTINGS,
  TRACES_SETTINGS,
  WALLET_PROOF_SETTINGS,
  type EnvLookup,
} from './settings.module.js';
