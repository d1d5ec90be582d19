import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { packageVersion } from '../settings/index.js';

/** What the page is made of; the rest of what Swagger UI is delivered with is for building it. */
export const PAGE_FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-init.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
] as const;

export function isPageFile(name: string): boolean {
  return (PAGE_FILES as readonly string[]).includes(name);
}

/**
 * Swagger UI under `/docs`. @nestjs/swagger takes a quarter of a second to load, so it is loaded here and not at
 * start-up; and since it can only add routes, which at a running tracker would come after the last one, it adds them
 * to an Express of their own.
 */
export async function docsPage(): Promise<RequestHandler> {
  const { SwaggerModule } = await import('@nestjs/swagger');
  const adapter = new ExpressAdapter();
  const express = adapter.getInstance<RequestHandler & { disable(setting: string): void }>();
  express.disable('x-powered-by');
  SwaggerModule.setup('docs', siteOn(adapter), () => NOTHING_YET, {
    customSiteTitle: `Meshnet tracker ${packageVersion()}`,
    customCss: '.swagger-ui .topbar { display: none }',
    raw: false,
    swaggerUrl: '/openapi.json',
    swaggerOptions: {
      url: '/openapi.json',
      validatorUrl: null,
      tryItOutEnabled: true,
      displayRequestDuration: true,
    },
  });
  return express;
}

/** The page fetches the document itself. */
const NOTHING_YET = {} as never;

/** As much of an application as Swagger's module asks for. */
function siteOn(adapter: ExpressAdapter): INestApplication {
  const site = {
    getHttpAdapter: () => adapter,
    useStaticAssets: (folder: string, options: { prefix: string }) =>
      void adapter.useStaticAssets(folder, options),
  };
  return site as unknown as INestApplication;
}
