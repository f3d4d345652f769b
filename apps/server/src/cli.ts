import { runCommand } from './cli/run.ts'
import { explainFailure } from './failure.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

await runCommand(process.argv.slice(2), { env: process.env, print }).catch((error: unknown) => {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exitCode = 1
})
