import base from './jest.config.js';

/** Tests in front of real engines, which `test/engines/make-venv.sh` installs. They share the machine's cores: one at a time. */
export default {
  ...base,
  roots: ['<rootDir>/test/engines'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
