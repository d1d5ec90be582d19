import type { SettingsInput } from './read-settings.js';

/** What this process was started with: the one place where the environment is looked at. */
export function processInput(): SettingsInput {
  return { argv: process.argv.slice(2), env: process.env };
}
