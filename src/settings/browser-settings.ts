import { IsArray } from '../kernel/index.js';
import { Setting } from './setting.decorator.js';

const HOST = /^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** `https://app.example,http://localhost:3000`; undefined when one of them is no origin. */
function readOrigins(text: string): readonly string[] | undefined {
  const origins = text.split(',').map((part) => part.trim().toLowerCase());
  return origins.every(isOrigin) ? origins : undefined;
}

/** As browsers spell it: no path, no slash, no user, and the usual port left out. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol.startsWith('http') && new URL(text).origin === text;
}

function readHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((part) => part.trim().toLowerCase());
  return hosts.every((host) => HOST.test(host)) ? hosts : undefined;
}

/** Which pages in browsers may use the tracker. */
export class BrowserSettings {
  @Setting({
    env: 'MESHNET_CORS_ORIGINS',
    range: 'a list of origins such as https://app.example,http://localhost:3000',
    help: 'pages from there may chat and list models (CORS)',
    read: readOrigins,
  })
  @IsArray()
  corsOrigins: readonly string[] = [];

  @Setting({
    env: 'MESHNET_ALLOWED_HOSTS',
    range: 'a list of host names, *.example for all below example',
    help: 'names by which an open tracker on loopback is called, beside addresses, localhost and names without a dot',
    read: readHosts,
  })
  @IsArray()
  allowedHosts: readonly string[] = [];
}
