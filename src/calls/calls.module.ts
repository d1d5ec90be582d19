import { Module } from '@nestjs/common';
import { TracesModule } from '../traces/index.js';
import { CallsController } from './calls.controller.js';
import { CallsGate } from './calls.gate.js';
import { CallsService } from './calls.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  imports: [TracesModule],
  controllers: [CallsController, EventsController],
  providers: [CallsService, CallsGate, EventsService],
  exports: [CallsService, EventsService],
})
export class CallsModule {}
