import { Controller, Get, Head, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EventsService } from './events.service.js';

@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  /** Whoever asks for the headers alone would otherwise wait for an end that never comes. */
  @Head()
  headers(@Res() response: Response): void {
    response.type('text/event-stream').end();
  }

  @Get()
  watch(@Res() response: Response): void {
    this.events.watch(response);
  }
}
