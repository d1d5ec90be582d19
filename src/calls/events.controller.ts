import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EventsService } from './events.service.js';

@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  watch(@Res() response: Response): void {
    this.events.watch(response);
  }
}
