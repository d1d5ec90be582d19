import { Controller, Get, Next, Param, Req, Res } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { pagePolicy } from '../http/index.js';
import { NotFoundError } from '../kernel/index.js';
import { docsPage, isPageFile } from './docs-page.js';

/** The page styles itself where it stands; all else comes from its own files. */
const POLICY = pagePolicy({
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
});

/** The document as a page. */
@Controller('docs')
export class DocsController {
  private page: Promise<RequestHandler> | null = null;

  @Get()
  show(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    return this.serve(request, response, next);
  }

  @Get(':file')
  file(
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
    @Next() next: NextFunction,
  ): Promise<void> {
    if (!isPageFile(file)) throw new NotFoundError('This path does not exist.');
    return this.serve(request, response, next);
  }

  private async serve(request: Request, response: Response, next: NextFunction): Promise<void> {
    this.page ??= docsPage();
    // What failed to load may load the next time.
    this.page.catch(() => (this.page = null));
    const page = await this.page;
    POLICY(request, response, () => page(request, response, next));
  }
}
