import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ReadinessService, type ReadinessState } from './readiness.service.js';

/** Answer of `GET /healthz`. */
export interface Liveness {
  readonly status: 'alive';
}

/** Answer of `GET /readyz`. */
export interface Readiness {
  readonly status: ReadinessState;
}

@Controller()
export class ProbesController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('healthz')
  @HttpCode(200)
  alive(): Liveness {
    return { status: 'alive' };
  }

  @Get('readyz')
  ready(@Res({ passthrough: true }) response: Response): Readiness {
    const { state } = this.readiness;
    response.status(state === 'ready' ? 200 : 503);
    return { status: state };
  }
}
