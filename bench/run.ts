import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run bench` runs all benchmarks in sequence; `npm run bench -- <name>…` runs the named ones. */
const folder = import.meta.dirname
const known = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && name !== 'run.ts')
  .map((name) => name.slice(0, -'.ts'.length))
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !known.includes(name))
if (unknown !== undefined) {
  process.stderr.write(`没有 ${unknown}；可用：${known.join('、')}\n`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : known) {
  process.stdout.write(`\n— ${name}\n`)
  const { run } = (await import(join(folder, `${name}.ts`))) as { run(): Promise<unknown> }
  await run().catch((error: unknown) => {
    // A benchmark that cannot run (a tool is missing) must not stop the others.
    process.stdout.write(`SKIP  ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`)
    process.exitCode = 1
  })
}
