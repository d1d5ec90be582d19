import { Controller, Get } from '@nestjs/common';
import { packageVersion } from '../settings/index.js';
import type { OpenApiDocument } from './document.js';
import { wholeDocument } from './whole-document.js';

@Controller('openapi.json')
export class OpenApiController {
  /** Made when somebody first asks. */
  private made: Promise<OpenApiDocument> | null = null;

  @Get()
  document(): Promise<OpenApiDocument> {
    return (this.made ??= wholeDocument(packageVersion()));
  }
}
