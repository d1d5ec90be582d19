import { Module } from '@nestjs/common';
import { ProbesController } from './probes.controller.js';
import { ReadinessService } from './readiness.service.js';

@Module({ controllers: [ProbesController], providers: [ReadinessService], exports: [ReadinessService] })
export class ProbesModule {}
