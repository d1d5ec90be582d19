import base from './jest.config.js';
import pureFiles from './pure-files.cjs';

/** `npm run test:coverage`: the branches of what decides, by the tests that stand beside it and the simulations. */
export default {
  ...base,
  roots: ['<rootDir>/src', '<rootDir>/test/sim'],
  collectCoverage: true,
  collectCoverageFrom: [...pureFiles.map((file) => `src/${file}`), '!**/*.spec.ts', '!**/index.ts'],
  coverageThreshold: { global: { branches: 95 } },
  coverageReporters: ['text'],
};
