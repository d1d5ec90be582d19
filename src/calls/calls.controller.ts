import { Controller, Get, Param, Query } from '@nestjs/common';
import { queryText } from '../http/index.js';
import { InvalidRequestError, NotFoundError } from '../kernel/index.js';
import type { CallRecord } from './call-record.js';
import type { CallStory } from './call-story.js';
import { CallsService } from './calls.service.js';

export const DEFAULT_LIMIT = 100;
export const MOST = 1000;

export class CallNotFoundError extends NotFoundError {
  override readonly code = 'call_not_found';
}

@Controller('v1/calls')
export class CallsController {
  constructor(private readonly calls: CallsService) {}

  @Get()
  list(
    @Query('model') model: unknown,
    @Query('limit') limit: unknown,
    @Query('open') open: unknown,
  ): { object: 'list'; data: CallRecord[] } {
    const data = this.calls.list(queryText(model, 'model'), readLimit(limit), readFlag(open));
    return { object: 'list', data };
  }

  @Get(':request_id')
  one(@Param('request_id') requestId: string): CallStory {
    const story = this.calls.get(requestId);
    if (story === null) throw new CallNotFoundError('This call is not among those remembered.');
    return story;
  }
}

function readLimit(value: unknown): number {
  const text = queryText(value, 'limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST) {
    throw new InvalidRequestError(`limit must be a whole number from 1 to ${String(MOST)}.`, 'limit');
  }
  return limit;
}

function readFlag(value: unknown): boolean {
  const text = queryText(value, 'open');
  if (text !== null && text !== 'true' && text !== 'false') {
    throw new InvalidRequestError('open must be true or false.', 'open');
  }
  return text === 'true';
}
