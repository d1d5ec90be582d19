const BOUNDS = [256, 1024, 4096, 16384, 65536] as const;

/** The label of a prompt's length: time to first token means little without it. */
export function promptSize(promptTokens: number | null): string {
  if (promptTokens === null) return 'unknown';
  const bound = BOUNDS.find((most) => promptTokens < most);
  return bound === undefined ? `>=${String(BOUNDS.at(-1))}` : `<${String(bound)}`;
}
