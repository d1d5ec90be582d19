import { Controller, Get } from '@nestjs/common';
import { packageVersion } from '../settings/index.js';
import { openApiDocument, type OpenApiDocument } from './document.js';
import { API_PARTS } from './parts.js';

@Controller('openapi.json')
export class OpenApiController {
  /** Made when somebody first asks. */
  private made: OpenApiDocument | null = null;

  @Get()
  document(): OpenApiDocument {
    return (this.made ??= openApiDocument(API_PARTS, packageVersion()));
  }
}
