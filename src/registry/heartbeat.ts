import { IsIn, IsOptional } from '../kernel/index.js';
import { MOST, TokensPerSecond, WholeNumber } from './field-rules.js';

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
 * Whether a body is a {@link Heartbeat} beyond doubt, told without class-validator: that takes longer than all else
 * about a heartbeat. What it says no to may still be one, and is to be checked against the class.
 */
export function isPlainHeartbeat(body: unknown): body is Heartbeat {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { queue_depth: depth, throughput_tps: tps, status } = body as Record<keyof Heartbeat, unknown>;
  return (
    (isUndeclared(depth) || (isBetween(depth, 0) && Number.isInteger(depth))) &&
    (isUndeclared(tps) || isBetween(tps, Number.MIN_VALUE)) &&
    (isUndeclared(status) || status === 'ready' || status === 'draining')
  );
}

function isUndeclared(value: unknown): boolean {
  return value === undefined || value === null;
}

function isBetween(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least && value <= MOST;
}
