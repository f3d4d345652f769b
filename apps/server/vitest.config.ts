import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/global-setup.ts',
    setupFiles: './test/one-query-at-a-time.ts',
    // Files keep their state in their own database, so a worker can go on with the modules it has.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // As for journeys: at a desk a test fails at once; in CI its second chance is marked `(retry x1)` beside its name.
    retry: process.env.CI ? 1 : 0,
  },
})
