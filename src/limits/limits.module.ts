import { Module } from '@nestjs/common';
import { ChatLimitGate } from './chat-limit.gate.js';
import { RefusalLimitService } from './refusal-limit.service.js';

@Module({ providers: [ChatLimitGate, RefusalLimitService], exports: [RefusalLimitService] })
export class LimitsModule {}
