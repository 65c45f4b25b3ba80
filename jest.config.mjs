/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Much of the time goes into waiting for sockets and processes, so that all cores may run tests.
  maxWorkers: '100%',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // For a busy machine: no test waits that long for anything.
  testTimeout: 30_000,
  // Sources import each other with the ending they have after the build.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^nest-mcp-boundary$': '<rootDir>/src/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
