import { Module } from '@nestjs/common';
import { BrowserGate } from './browser.gate.js';
import { AccessGate } from './access.gate.js';
import { AccessService } from './access.service.js';

// The browser's gate opens first: what a page asks beforehand carries no key.
@Module({ providers: [AccessService, BrowserGate, AccessGate], exports: [AccessService] })
export class AccessModule {}
