import { HEADER_NAME, remembered, UNFIT_FOR_A_HEADER } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import { HeadFault } from './head-fault.js';

const isName = remembered((name) => HEADER_NAME.test(name));
const UNFIT_PATH = /[^\x21-\x7e]/;

/**
 * Request line and header lines of a POST, with the empty line that ends them; to be written as latin1.
 *
 * @param length of the body, in bytes
 * @throws HeadFault `invalid_request`: what can't stand in a line would begin another one
 */
export function requestText(path: string, host: string, headers: HeaderMap, length: number): string {
  if (UNFIT_PATH.test(path)) throw new HeadFault('invalid_request');
  let text = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') text += line(name, value);
    else for (const each of value ?? []) text += line(name, each);
  }
  return `${text}content-length: ${String(length)}\r\n\r\n`;
}

function line(name: string, value: string): string {
  if (!isName(name) || UNFIT_FOR_A_HEADER.test(value)) throw new HeadFault('invalid_request');
  return `${name}: ${value}\r\n`;
}
