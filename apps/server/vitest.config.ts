import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the tests of the whole product first, so that the slowest files do not run alone at the end. */
class WholeProductFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isOfWholeProduct = ({ moduleId }: TestSpecification) => moduleId.includes('/apps/server/test/')
    return [...sorted.filter(isOfWholeProduct), ...sorted.filter((file) => !isOfWholeProduct(file))]
  }
}

const FILES = ['src/**/*.test.ts', 'test/**/*.test.ts']

/** The generated inputs are refused by the schemas, or reach the database as ordinary values. */
const GENERATED_INPUTS = 'test/calls/hostile-*.test.ts'

/** Test files that start the built server, with an embedded database of their own. */
const withOwnDatabase = () =>
  globSync(FILES, { cwd: import.meta.dirname }).filter((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8').includes("from '#test/serving.ts'"),
  )

export default defineConfig({
  test: {
    include: FILES,
    // A run on a given database would only repeat these files of the run on the embedded database.
    exclude: [...configDefaults.exclude, ...(process.env.DATABASE_URL ? [...withOwnDatabase(), GENERATED_INPUTS] : [])],
    globalSetup: './test/global-setup.ts',
    setupFiles: './test/one-query-at-a-time.ts',
    // Each file has its own database, so a worker can reuse its loaded modules for the next file.
    isolate: false,
    // A test mostly waits for the database, so two cores can serve more workers than Vitest's default of one.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: WholeProductFirst },
    // Local runs do not retry a failed test. CI retries once and marks the test with `(retry x1)`, as for journeys.
    retry: process.env.CI ? 1 : 0,
  },
})
