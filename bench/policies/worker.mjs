import { parentPort } from 'node:worker_threads';
import { runCell } from './cell.mjs';
import { follow } from './follow.mjs';

parentPort.on('message', ({ id, kind, cell, job }) => {
  const result = kind === 'cell' ? runCell(cell) : { ...job, ...follow(job) };
  parentPort.postMessage({ id, kind, result });
});
