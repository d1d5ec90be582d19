import type { Shape } from './facts.js';

/** Around 0,0, about 6 px in each direction. */
const PATHS: Readonly<Record<Shape, string>> = {
  up: 'M0 -6.5 L6.5 5 L-6.5 5 Z',
  down: 'M0 6.5 L6.5 -5 L-6.5 -5 Z',
  diamond: 'M0 -7 L7 0 L0 7 L-7 0 Z',
  square: 'M-5 -5 H5 V5 H-5 Z',
  cross: 'M-6 -3.5 L-3.5 -6 L0 -2.5 L3.5 -6 L6 -3.5 L2.5 0 L6 3.5 L3.5 6 L0 2.5 L-3.5 6 L-6 3.5 L-2.5 0 Z',
  ring: 'M0 -6 A6 6 0 1 0 0 6 A6 6 0 1 0 0 -6 Z M0 -3.2 A3.2 3.2 0 1 1 0 3.2 A3.2 3.2 0 1 1 0 -3.2 Z',
  half: 'M0 -6 A6 6 0 1 0 0 6 A6 6 0 1 0 0 -6 Z M0 -3.6 A3.6 3.6 0 0 1 0 3.6 Z',
};

export function MarkShape({ shape }: { shape: Shape }) {
  return <path d={PATHS[shape]} fill-rule="evenodd" />;
}
