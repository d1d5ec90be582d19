import { IsNumber, Max, Min } from '../kernel/index.js';
import { readNumber } from './readers.js';
import { Setting, together } from './setting.decorator.js';

const FINITE = { allowNaN: false, allowInfinity: false };
/** A standard deviation of a logarithm: 1 is a factor of e. */
const SIGMA_RANGE = 'a number from 0.01 to 5';

function sigma(source: { readonly env: string; readonly help: string }): PropertyDecorator {
  return together(
    Setting({ ...source, range: SIGMA_RANGE, read: readNumber }) as PropertyDecorator,
    IsNumber(FINITE),
    Min(0.01),
    Max(5),
  );
}

/** How `least-expected-delay` learns the speeds of nodes. Found in the simulator: docs/policies.md. */
export class SpeedSettings {
  @Setting({
    env: 'MESHNET_SPEED_DECAY_SECONDS',
    range: 'a number of seconds from 1 to 1000000',
    help: "seconds after which a node's passing slowdown is forgotten to 1/e",
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(1)
  @Max(1_000_000)
  decaySeconds = 600;

  @sigma({
    env: 'MESHNET_SPEED_DRIFT_SIGMA',
    help: 'how far a node may be from its usual speed (σ of the logarithm)',
  })
  driftSigma = 0.7;

  @sigma({ env: 'MESHNET_SPEED_REGISTERED_SIGMA', help: 'how far a registered speed may be wrong' })
  registeredSigma = 0.4;

  @sigma({ env: 'MESHNET_SPEED_UNREGISTERED_SIGMA', help: 'the same where a node registered none' })
  unregisteredSigma = 1;

  @sigma({
    env: 'MESHNET_SPEED_NOISE_SIGMA',
    help: "noise of one look at a stream's progress, or of a whole answer",
  })
  noiseSigma = 0.22;

  @sigma({ env: 'MESHNET_SPEED_FIRST_TOKEN_SIGMA', help: "noise of a first token's time" })
  firstTokenSigma = 0.4;

  @Setting({
    env: 'MESHNET_SPEED_PREFILL_RATIO',
    range: 'a number from 0.0001 to 10',
    help: 'work of a prompt token in output tokens, until it is learned per node',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0.0001)
  @Max(10)
  prefillRatio = 0.1;

  @Setting({
    env: 'MESHNET_SPEED_SIZE_QUANTILE',
    range: 'a number from 0.01 to 0.99',
    help: 'answers are expected to be as long as this share of the latest were at most',
    read: readNumber,
  })
  @IsNumber(FINITE)
  @Min(0.01)
  @Max(0.99)
  sizeQuantile = 0.65;
}
