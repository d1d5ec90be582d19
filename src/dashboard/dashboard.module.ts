import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import helmet from 'helmet';
import { DashboardController, PAGE_FILES } from './dashboard.controller.js';
import { readPageFiles } from './page-files.js';

/** Scripts, styles and requests: the tracker's own only. */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

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
    const headers = helmet({
      contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
      // Whether it must be https is for whoever puts https in front to say.
      strictTransportSecurity: false,
    });
    consumer.apply(headers).forRoutes(DashboardController);
  }
}
