import type { OpenApiDocument } from './document.js';

/** The document of all rooms. What they tell of themselves is loaded for it: thirty files that no start waits for. */
export async function wholeDocument(version: string): Promise<OpenApiDocument> {
  const { openApiDocument } = await import('./document.js');
  const { API_PARTS } = await import('./parts.js');
  return openApiDocument(API_PARTS, version);
}
