/** Tests run as native ES modules, so `jest` itself is imported from `@jest/globals`. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/web'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/system/', '<rootDir>/test/engines/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.json' }] },
  // One process per core: jest leaves one core idle of its own accord, which is half of a small machine.
  maxWorkers: '100%',
  testTimeout: 60_000,
};
