import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { testFiles } from '../../scripts/test-files.ts'

/** Starts the tests of the whole product first, so that the slowest files do not run alone at the end. */
class WholeProductFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isOfWholeProduct = ({ moduleId }: TestSpecification) => moduleId.includes('/apps/server/test/')
    return [...sorted.filter(isOfWholeProduct), ...sorted.filter((file) => !isOfWholeProduct(file))]
  }
}

const FILES = ['src', 'test'].map((folder) => `${folder}/**/${testFiles('test.ts')}`)

/** Tests that would give the same result on a second database: of the demo data, files, spreadsheets and guides. */
const OF_ONE_DATABASE = [
  'src/core/spreadsheet/**/*.test.ts',
  'src/core/storage/resumable.test.ts',
  'src/demo/**/*.test.ts',
  'test/guides/**/*.test.ts',
  'src/main/listen.test.ts',
]

/** Every test with a database imports the harness, the database of the tests, or fixtures that do. */
const DATABASE_IMPORT = /from '(?:#test\/|\.{1,2}\/[^']*(?:fixture|harness|database|client|lab)[^']*)/

/**
 * Test files that do not use the given database: those that start the built server with an embedded database of their
 * own, and those below `src` without a database.
 */
const withoutGivenDatabase = () =>
  globSync(FILES, { cwd: import.meta.dirname }).filter((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    return text.includes("from '#test/serving.ts'") || (file.startsWith('src') && !DATABASE_IMPORT.test(text))
  })

export default defineConfig({
  test: {
    include: FILES,
    // A run on a given database would only repeat these files of the run on the embedded database.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env.DATABASE_URL ? [...withoutGivenDatabase(), ...OF_ONE_DATABASE] : []),
    ],
    globalSetup: './test/global-setup.ts',
    setupFiles: './test/one-query-at-a-time.ts',
    // Each file has its own database, so a worker can reuse its loaded modules for the next file.
    isolate: false,
    // A test mostly waits for the database, so two cores can serve more workers than Vitest's default of one.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of one second is too short for three workers on two cores.
    expect: { poll: { timeout: 15_000 } },
    sequence: { sequencer: WholeProductFirst },
    // Local runs do not retry a failed test. CI retries once and marks the test with `(retry x1)`, as for journeys.
    retry: process.env.CI ? 1 : 0,
  },
})
