import { isNewDatabase, openDatabase } from '#core/database/client.ts'
import { readConfig } from '#core/config/config.ts'
import { explainFailure } from '#main/explain-failure.ts'
import { readStoredTemplateKey } from '#main/template-key.ts'

// By default, Node uses four threads for file operations. Four uploads that wait for fsync would delay every other file
// operation. Node reads this value at the first use of these threads.
process.env.UV_THREADPOOL_SIZE ??= '32'

let opening: ReturnType<typeof openDatabase> | undefined
// Starts the database before the remaining modules are loaded. Both take about the same time and run in parallel.
try {
  const early: string[] = []
  let warn = (message: string): void => void early.push(message)
  const config = readConfig(process.env)
  const isFirst = isNewDatabase(config)
  opening = openDatabase(config, {
    warn: (message) => warn(message),
    templateKey: async () =>
      readStoredTemplateKey() ?? (await import('./main/database-template.ts')).databaseTemplate().key,
  })
  opening.catch(() => {})
  const { runServer } = await import('./main/serve.ts')
  await runServer({
    config,
    isFirst,
    opening,
    onWarning(listener) {
      warn = listener
      early.forEach(listener)
    },
  })
} catch (error) {
  // Stops an embedded database that this process started; the rest of the program may have failed to load.
  await opening?.then((database) => database.close()).catch(() => {})
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exit(1)
}
