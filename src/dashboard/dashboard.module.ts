import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { pagePolicy } from '../http/index.js';
import { DashboardController, PAGE_FILES } from './dashboard.controller.js';
import { readPageFiles } from './page-files.js';

/** Scripts, styles and requests: the tracker's own only. */
const POLICY = pagePolicy({
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
});

@Module({})
export class DashboardModule implements NestModule {
  static forRoot(folder: string): DynamicModule {
    return {
      module: DashboardModule,
      controllers: [DashboardController],
      providers: [{ provide: PAGE_FILES, useFactory: () => readPageFiles(folder) }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(POLICY).forRoutes(DashboardController);
  }
}
