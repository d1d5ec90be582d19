const MODEL = 'Qwen3.6-35B-A3B';
const GPU = 'alice.gpu:0-21';
const CPU = 'bob.cpu:0-39';

/** The mesh that every example in the document shows: a fast node with the first layers, a slow one with all. */
export const EXAMPLE = {
  model: MODEL,
  gpu: GPU,
  cpu: CPU,
  fast: `${MODEL}|${GPU}[0-21]->${CPU}[22-39]`,
  slow: `${MODEL}|${CPU}[0-39]`,
  requestId: '0b7e6c1e-5d0a-4f57-9a55-0d6f2f1f3c55',
  at: '2026-05-04T10:20:30.400Z',
  atMs: 1_777_890_030_400,
} as const;
