import { IsDefined, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import {
  EndpointFault,
  InvalidRequestError,
  isModelKey,
  isNodeName,
  isWallet,
  MODEL_KEY_RULE,
  NAME_RULE,
  normaliseEndpoint,
  WALLET_RULE,
  type LayerSpan,
} from '../kernel/index.js';
import type { NodeSpec } from './node.js';

const FINITE = { allowNaN: false, allowInfinity: false };
const MOST_LAYERS = 100_000;
const MOST = 1e9;

function whole(property: string, least: number, most: number): string {
  return `${property} must be a whole number from ${String(least)} to ${String(most)}`;
}

function WholeNumber(least: number, most: number): PropertyDecorator {
  return (target, property) => {
    const message = whole(String(property), least, most);
    IsInt({ message })(target, property);
    Min(least, { message })(target, property);
    Max(most, { message })(target, property);
  };
}

/** A speed of nothing would be no speed at all; a node that must not be used says `draining`. */
function TokensPerSecond(): PropertyDecorator {
  return (target, property) => {
    const message = `${String(property)} must be a number above 0 and at most ${String(MOST)}`;
    IsNumber(FINITE, { message })(target, property);
    Min(Number.MIN_VALUE, { message })(target, property);
    Max(MOST, { message })(target, property);
  };
}

/** Body of `POST /v1/nodes`. Fields left out or null are not declared. */
export class Registration {
  @IsDefined({ message: `wallet must be ${WALLET_RULE}` })
  @IsString({ message: `wallet must be ${WALLET_RULE}` })
  wallet!: string;

  @IsOptional()
  @IsString({ message: `name must be ${NAME_RULE}` })
  name?: string | null;

  @IsString({ message: 'endpoint must be an http(s) URL' })
  endpoint!: string;

  @IsString({ message: `model must be ${MODEL_KEY_RULE}` })
  model!: string;

  @IsOptional()
  @WholeNumber(1, MOST_LAYERS)
  num_layers?: number | null;

  @IsOptional()
  @WholeNumber(0, MOST_LAYERS - 1)
  shard_start?: number | null;

  @IsOptional()
  @WholeNumber(0, MOST_LAYERS - 1)
  shard_end?: number | null;

  @IsOptional()
  @TokensPerSecond()
  throughput_tps?: number | null;

  @IsOptional()
  @WholeNumber(0, MOST)
  queue_depth?: number | null;

  @IsOptional()
  @WholeNumber(1, MOST)
  max_concurrent?: number | null;

  @IsOptional()
  @IsString({ message: `upstream_model must be ${MODEL_KEY_RULE}` })
  upstream_model?: string | null;
}

/** Body of `PUT /v1/leases/{lease_id}`. */
export class Heartbeat {
  @IsOptional()
  @WholeNumber(0, MOST)
  queue_depth?: number | null;

  @IsOptional()
  @TokensPerSecond()
  throughput_tps?: number | null;

  @IsOptional()
  @IsIn(['ready', 'draining'], { message: 'status must be "ready" or "draining"' })
  status?: 'ready' | 'draining' | null;
}

/**
 * What {@link Registration} means, once its fields are known to have the right types.
 *
 * @throws InvalidRequestError naming the field
 */
export function specOfRegistration(body: Registration): NodeSpec {
  const refuse = (field: string, rule: string): never => {
    throw new InvalidRequestError(`${field} must be ${rule}.`, field);
  };
  const name = body.name ?? null;
  const upstreamModel = body.upstream_model ?? null;
  if (!isWallet(body.wallet)) refuse('wallet', WALLET_RULE);
  if (name !== null && !isNodeName(name)) refuse('name', NAME_RULE);
  if (!isModelKey(body.model)) refuse('model', MODEL_KEY_RULE);
  if (upstreamModel !== null && !isModelKey(upstreamModel)) refuse('upstream_model', MODEL_KEY_RULE);
  return {
    wallet: body.wallet,
    name,
    model: body.model,
    numLayers: body.num_layers ?? null,
    shard: shardOf(body),
    source: 'registered',
    endpoint: endpointOf(body.endpoint),
    throughputTps: body.throughput_tps ?? null,
    queueDepth: body.queue_depth ?? 0,
    maxConcurrent: body.max_concurrent ?? null,
    upstreamModel,
    firstByteTimeoutSeconds: null,
    access: { headers: {} },
  };
}

function shardOf(body: Registration): LayerSpan | null {
  const start = body.shard_start ?? null;
  const end = body.shard_end ?? null;
  if (start === null && end === null) return null;
  if (start === null) throw new InvalidRequestError('shard_start must come with shard_end.', 'shard_start');
  if (end === null) throw new InvalidRequestError('shard_end must come with shard_start.', 'shard_end');
  if (start > end) {
    throw new InvalidRequestError('shard_start must not be above shard_end.', 'shard_start');
  }
  return { start, end };
}

function endpointOf(text: string): string {
  try {
    return normaliseEndpoint(text);
  } catch (fault) {
    if (fault instanceof EndpointFault) {
      throw new InvalidRequestError(`endpoint ${fault.message}.`, 'endpoint');
    }
    throw fault;
  }
}
