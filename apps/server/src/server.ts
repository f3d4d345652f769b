import { isToBeMade, openDatabase } from '#db/client.ts'
import { readConfig } from '#kernel/config.ts'
import { explainFailure } from './failure.ts'
import { keptKey } from './furniture-key.ts'

// The database starts while the rest of the program is still being loaded: each takes about as long as the other.
try {
  const early: string[] = []
  let warn = (message: string): void => void early.push(message)
  const config = readConfig(process.env)
  const isFirst = isToBeMade(config)
  const opening = openDatabase(config, {
    warn: (message) => warn(message),
    furnitureKey: async () => keptKey() ?? (await import('./furniture.ts')).furniture().key,
  })
  opening.catch(() => {})
  const { serve } = await import('./serve.ts')
  await serve({
    config,
    isFirst,
    opening,
    onWarning(listener) {
      warn = listener
      early.forEach(listener)
    },
  })
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exit(1)
}
