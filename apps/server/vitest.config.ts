import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the tests of the whole product first: the slowest files must not run alone at the end. */
class WholeProductFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isOfWholeProduct = ({ moduleId }: TestSpecification) => moduleId.includes('/apps/server/test/')
    return [...sorted.filter(isOfWholeProduct), ...sorted.filter((file) => !isOfWholeProduct(file))]
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/global-setup.ts',
    setupFiles: './test/one-query-at-a-time.ts',
    // Files keep their state in their own database, so a worker can go on with the modules it has.
    isolate: false,
    // A test mostly waits for the database, so two cores can serve more workers than Vitest's default of one.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: WholeProductFirst },
    // As for journeys: at a desk a test fails at once; in CI its second chance is marked `(retry x1)` beside its name.
    retry: process.env.CI ? 1 : 0,
  },
})
