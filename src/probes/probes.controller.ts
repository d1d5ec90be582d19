import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ReadinessService } from './readiness.service.js';

@Controller()
export class ProbesController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('healthz')
  @HttpCode(200)
  alive(): { status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('readyz')
  ready(@Res({ passthrough: true }) response: Response): { status: string } {
    const { state } = this.readiness;
    response.status(state === 'ready' ? 200 : 503);
    return { status: state };
  }
}
