import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/global-setup.ts',
    // Files keep their state in their own database, so a worker can go on with the modules it has.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
