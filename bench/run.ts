import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/** `npm run bench` runs all benchmarks in sequence; `npm run bench -- <name>…` runs the named ones. */
const folder = import.meta.dirname
/** Paths of the benchmarks by name: `storage-list` is `storage/storage-list.ts`. */
const pathByName = new Map(
  globSync('*/*.ts', { cwd: folder, exclude: ['lib/**'] }).map((path) => [basename(path, '.ts'), path]),
)
const known = [...pathByName.keys()].toSorted()
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !known.includes(name))
if (unknown !== undefined) {
  process.stderr.write(`没有 ${unknown}；可用：${known.join('、')}\n`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : known) {
  process.stdout.write(`\n— ${name}\n`)
  const { run } = (await import(join(folder, pathByName.get(name)!))) as { run(): Promise<unknown> }
  await run().catch((error: unknown) => {
    // A benchmark that cannot run (a tool is missing) must not stop the others.
    process.stdout.write(`SKIP  ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`)
    process.exitCode = 1
  })
}
