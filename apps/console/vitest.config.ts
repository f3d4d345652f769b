import { defineConfig } from 'vitest/config'
import { testFiles } from '../../scripts/test-files.ts'

export default defineConfig({
  root: import.meta.dirname,
  test: {
    environment: 'node',
    include: ['src', 'test', 'build'].map((folder) => `${folder}/**/${testFiles('test.ts')}`),
    // The default of five seconds is too short on two cores with other work.
    testTimeout: 60_000,
  },
})
