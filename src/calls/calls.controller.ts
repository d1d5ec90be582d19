import { Controller, Get, Param, Query } from '@nestjs/common';
import { queryCount, queryText } from '../http/index.js';
import { InvalidRequestError, NotFoundError } from '../kernel/index.js';
import type { CallRecord } from './call-record.js';
import type { CallStory } from './call-story.js';
import { CallsService } from './calls.service.js';

export const LIMIT = { byDefault: 100, most: 1000 };

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
    const data = this.calls.list(
      queryText(model, 'model'),
      queryCount(limit, 'limit', LIMIT),
      readFlag(open),
    );
    return { object: 'list', data };
  }

  @Get(':request_id')
  one(@Param('request_id') requestId: string): CallStory {
    const story = this.calls.get(requestId);
    if (story === null) throw new CallNotFoundError('This call is not among those remembered.');
    return story;
  }
}

function readFlag(value: unknown): boolean {
  const text = queryText(value, 'open');
  if (text !== null && text !== 'true' && text !== 'false') {
    throw new InvalidRequestError('open must be true or false.', 'open');
  }
  return text === 'true';
}
