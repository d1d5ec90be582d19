import { Module } from '@nestjs/common';
import { WalletProofService } from './wallet-proof.service.js';

@Module({ providers: [WalletProofService], exports: [WalletProofService] })
export class WalletProofModule {}
