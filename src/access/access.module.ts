import { Module } from '@nestjs/common';
import { AccessGate } from './access.gate.js';
import { AccessService } from './access.service.js';

@Module({ providers: [AccessService, AccessGate], exports: [AccessService] })
export class AccessModule {}
