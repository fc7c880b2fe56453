/** The fast suite: unit, story and wire tests, and the stock kafkajs client against a broker. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test', '<rootDir>/compat-tests/kafkajs'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  setupFiles: ['<rootDir>/test/support/fixed-seed.ts'],
  // A guard against tests that hang, wide enough for a machine that is busy with other things.
  testTimeout: 120_000,
  // One for each core: left to itself, jest runs on one core of two.
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
};
