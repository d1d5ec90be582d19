import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MetricsService } from './metrics.service.js';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  async scrape(@Res({ passthrough: true }) response: Response): Promise<string> {
    const text = await this.metrics.text();
    response.type(this.metrics.contentType);
    return text;
  }
}
