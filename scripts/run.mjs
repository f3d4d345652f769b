// Entry point that supports any Node >= 20.19: finds the pinned Node and starts the other scripts with it.
import { bench, check, dev, oms, shots, start, test, testDeep } from './commands.mjs'
import { build } from './build.mjs'
import { complain } from './runtime.mjs'

const commands = {
  start,
  dev,
  build: () => build({ force: true }),
  test,
  'test:deep': testDeep,
  check,
  bench,
  oms,
  shots,
}
const [name = '', ...args] = process.argv.slice(2)

if (!Object.hasOwn(commands, name)) {
  complain(`用法：node scripts/run.mjs <${Object.keys(commands).join('|')}>`)
  process.exit(2)
}
try {
  process.exitCode = (await commands[name](args)) ?? 0
} catch (error) {
  complain(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
