/** Loaded into a tracker before it starts (node --import): counts how often candidates are built, told on SIGUSR2. */
import { CandidatesService } from '../../dist/candidate-enumeration/index.js';

const { enumerate } = CandidatesService.prototype;
let rebuilds = 0;
CandidatesService.prototype.enumerate = function (...view) {
  rebuilds += 1;
  return enumerate.apply(this, view);
};
process.on('SIGUSR2', () => console.error(`rebuilds ${rebuilds}`));
