import { runCommand } from './commands.ts'
import { explainFailure } from '#main/explain-failure.ts'

// `… | head` closes the pipe early. The rest of the output is then discarded without an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const print = (line: string) => void process.stdout.write(`${line}\n`)

await runCommand(process.argv.slice(2), { env: process.env, print }).catch((error: unknown) => {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exitCode = 1
})
