import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NotFoundError } from '../kernel/index.js';
import type { PageFiles } from './page-files.js';

/** Injection token of the {@link PageFiles}, or null where nothing was built. */
export const PAGE_FILES = Symbol('PageFiles');

/** Names hold a hash of what is in them, so they never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

@Controller()
export class DashboardController {
  constructor(@Inject(PAGE_FILES) private readonly files: PageFiles | null) {}

  /** Whoever opens the tracker's address in a browser wants to see something. */
  @Get()
  root(@Req() request: Request, @Res() response: Response): void {
    // With more slashes in front, the relative address would be that of another host.
    if (request.path !== '/') throw new NotFoundError('This path does not exist.');
    response.redirect(302, 'dashboard');
  }

  @Get('dashboard')
  page(@Req() request: Request, @Res() response: Response): void {
    // Everything on the page is named relative to a path without a slash at its end.
    if (request.path.endsWith('/')) {
      response.redirect(308, '../dashboard');
      return;
    }
    if (this.files === null) throw new NotFoundError('The dashboard was not built: npm run build.');
    response.type('html').setHeader('cache-control', 'no-cache').send(this.files.page);
  }

  @Get('dashboard/assets/:name')
  asset(@Param('name') name: string, @Res() response: Response): void {
    const file = this.files?.assets.get(name);
    if (file === undefined) throw new NotFoundError('This file is not part of the dashboard.');
    response.type(file.type).setHeader('cache-control', FOR_EVER).send(file.bytes);
  }
}
