import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import type { Settings } from './settings.js';

/** Injection tokens: a room asks for its own part and sees no other. */
export const ROUTING_SETTINGS = Symbol('RoutingSettings');
export const SPEED_SETTINGS = Symbol('SpeedSettings');
export const SERVING_SETTINGS = Symbol('ServingSettings');
export const NODES_SETTINGS = Symbol('NodesSettings');
export const NODE_NETWORK_SETTINGS = Symbol('NodeNetworkSettings');
export const WALLET_PROOF_SETTINGS = Symbol('WalletProofSettings');
export const CALL_SETTINGS = Symbol('CallSettings');
export const ACCESS_SETTINGS = Symbol('AccessSettings');
export const BROWSER_SETTINGS = Symbol('BrowserSettings');
export const LIMIT_SETTINGS = Symbol('LimitSettings');
export const TRACES_SETTINGS = Symbol('TracesSettings');

/** Injection token of the {@link EnvLookup}. */
export const ENV_LOOKUP = Symbol('EnvLookup');

/** The value of a variable that an operator's file names (a node's key). */
export type EnvLookup = (name: string) => string | undefined;

const TOKENS: readonly (readonly [symbol, keyof Settings])[] = [
  [ROUTING_SETTINGS, 'routing'],
  [SPEED_SETTINGS, 'speeds'],
  [SERVING_SETTINGS, 'serving'],
  [NODES_SETTINGS, 'nodes'],
  [NODE_NETWORK_SETTINGS, 'nodeNetworks'],
  [WALLET_PROOF_SETTINGS, 'walletProof'],
  [CALL_SETTINGS, 'calls'],
  [ACCESS_SETTINGS, 'access'],
  [BROWSER_SETTINGS, 'browsers'],
  [LIMIT_SETTINGS, 'limits'],
  [TRACES_SETTINGS, 'traces'],
];

@Global()
@Module({})
export class SettingsModule {
  /** Takes settings that were read and checked already: what ConfigModule's own `validate` throws is lost. */
  static forRoot(settings: Settings, env: EnvLookup): DynamicModule {
    return {
      module: SettingsModule,
      imports: [
        ConfigModule.forRoot({
          cache: true,
          ignoreEnvFile: true,
          validatePredefined: false,
          skipProcessEnv: true,
          load: [() => ({ ...settings })],
        }),
      ],
      providers: [
        { provide: ENV_LOOKUP, useValue: env },
        ...TOKENS.map(([provide, part]) => ({
          provide,
          inject: [ConfigService],
          useFactory: (config: ConfigService<Settings, true>): unknown => config.get(part, { infer: true }),
        })),
      ],
      exports: [ENV_LOOKUP, ...TOKENS.map(([token]) => token)],
    };
  }
}
