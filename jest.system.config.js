import base from './jest.config.js';

/** Tests that need more than Node: a registry, a browser, a server of somebody else's. */
export default {
  ...base,
  roots: ['<rootDir>/test/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
