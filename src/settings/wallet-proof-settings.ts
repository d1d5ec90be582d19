import { IsIn, isNodeName, IsString, NAME_RULE } from '../kernel/index.js';
import { Setting } from './setting.decorator.js';

const SWITCH = ['true', 'false'] as const;

/** Whether nodes have to prove whose they are. */
export class WalletProofSettings {
  @Setting({
    env: 'MESHNET_REQUIRE_WALLET_PROOF',
    range: 'true or false',
    help: "nodes register only with a signature of their wallet's key",
    read: (text) => text.toLowerCase(),
  })
  @IsIn(SWITCH)
  required: (typeof SWITCH)[number] = 'false';

  @Setting({
    env: 'MESHNET_TRACKER_NAME',
    range: NAME_RULE,
    help: 'what nodes sign their registrations for, so that they are good for no other tracker',
    read: (text) => (isNodeName(text) ? text : undefined),
  })
  @IsString()
  trackerName = 'meshnet';
}
