import {
  IsDefined,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
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
import { MOST, TokensPerSecond, WholeNumber } from './field-rules.js';
import type { NodeSpec } from './node.js';

const MOST_LAYERS = 100_000;
/** As it can stand in a header. */
const API_KEY = /^[\x21-\x7e]{1,512}$/;
const FINISH_REASON_RULE = 'finish_reason must be "sent" or "never"';
const API_KEY_RULE = '1 to 512 visible ASCII characters';

/** What shows whose a registration is, as it is sent. */
export interface ProofFields {
  readonly time_ms: number;
  readonly nonce: string;
  readonly signature: string;
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

  /** `never`: a server whose answers have no finish reasons, so that theirs are whole without. */
  @IsOptional()
  @IsIn(['sent', 'never'], { message: FINISH_REASON_RULE })
  finish_reason?: 'sent' | 'never' | null;

  /** What the node asks of whoever calls it; sent to it alone, shown nowhere. */
  @IsOptional()
  @IsString({ message: `api_key must be ${API_KEY_RULE}` })
  api_key?: string | null;

  /** Of the wallet; what is in it is checked by the room wallet-proof. */
  @IsOptional()
  @IsObject({ message: 'proof must be an object' })
  proof?: ProofFields | null;
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
    finishReasons: body.finish_reason ?? 'sent',
    access: { headers: accessHeaders(body.api_key ?? null) },
  };
}

function accessHeaders(apiKey: string | null): Readonly<Record<string, string>> {
  if (apiKey === null) return {};
  if (!API_KEY.test(apiKey)) throw new InvalidRequestError(`api_key must be ${API_KEY_RULE}.`, 'api_key');
  return { authorization: `Bearer ${apiKey}` };
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
