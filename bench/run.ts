import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run bench` measures everything in turn, `npm run bench -- <name>…` only what is named. */
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
    // One figure that cannot be taken here (a tool is missing) must not hide the others.
    process.stdout.write(`SKIP  ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`)
    process.exitCode = 1
  })
}
