import { describe, expect, it } from '@jest/globals';
import { TracesSettings } from '../settings/index.js';
import { collectorUrl } from './collector-url.js';

const urlOf = (stated: Partial<TracesSettings>): string | null =>
  collectorUrl(Object.assign(new TracesSettings(), stated));

describe("the collector's URL", () => {
  it('is none unless one is set', () => {
    expect(urlOf({})).toBeNull();
  });

  it('has the path for traces appended where it is for all signals', () => {
    expect(urlOf({ endpoint: 'http://c:4318' })).toBe('http://c:4318/v1/traces');
    expect(urlOf({ endpoint: 'http://c:4318/' })).toBe('http://c:4318/v1/traces');
    expect(urlOf({ endpoint: 'https://c/otlp/' })).toBe('https://c/otlp/v1/traces');
  });

  it('is taken as it is, and first, where it is for traces alone', () => {
    expect(urlOf({ endpoint: 'http://c', tracesEndpoint: 'https://t/in?a=b' })).toBe('https://t/in?a=b');
  });
});
