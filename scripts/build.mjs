import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from './bundle.mjs'
import { at, run, say } from './runtime.mjs'

const SHARED = ['package-lock.json', 'packages/contract/src', 'scripts/bundle.mjs']
const SERVER = [...SHARED, 'apps/server/src', 'apps/server/package.json']
const CONSOLE = [
  ...SHARED,
  'apps/console/src',
  'apps/console/build',
  'apps/console/public',
  'apps/console/index.html',
  'apps/console/vite.config.ts',
]

/** Builds what is missing or older than its sources; everything with `force`. */
export async function build({ force = false } = {}) {
  const parts = [
    { name: 'server', inputs: SERVER, make: () => bundleServer(at('dist')) },
    { name: 'console', inputs: CONSOLE, make: buildConsole },
  ]
  for (const { name, inputs, make } of parts) {
    if (!force && !isStale(name, inputs)) continue
    const started = Date.now()
    const stamp = newest(inputs)
    await make()
    writeFileSync(at('dist', `.${name}`), String(stamp))
    if (name === 'server') await keepTemplate()
    say(`已构建 ${name}（${((Date.now() - started) / 1000).toFixed(1)} 秒）`)
  }
}

/** A release without sources, or without the tools that build, runs what it has. */
export function isStale(name, inputs = name === 'server' ? SERVER : CONSOLE) {
  const marker = at('dist', `.${name}`)
  if (!existsSync(marker)) return true
  if (!existsSync(at('apps/server/src')) || !existsSync(at('node_modules/esbuild'))) return false
  return newest(inputs) > Number(readFileSync(marker, 'utf8'))
}

/** Folders count too: theirs is the time of the last file added or removed. */
function newest(inputs) {
  const times = inputs.filter((path) => existsSync(at(path))).map((path) => timeOf(at(path)))
  return Math.max(0, ...times)
}

function timeOf(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const inside = readdirSync(path).filter((name) => !/\.test\.tsx?$/.test(name))
  return Math.max(stat.mtimeMs, ...inside.map((name) => timeOf(join(path, name))))
}

async function buildConsole() {
  if (!existsSync(at('apps/console/index.html'))) return mkdirSync(at('dist/console'), { recursive: true })
  const vite = [at('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn']
  const code = await run(vite, { cwd: at('apps/console'), env: { NODE_ENV: 'production' } })
  if (code !== 0) throw new Error('控制台构建失败')
}

/** Only makes the first start faster, so a machine that cannot do it (no bundled PostgreSQL) builds all the same. */
async function keepTemplate() {
  const folder = at('.cache')
  if (process.env.DATABASE_URL || !existsSync(at('dist/cli.mjs'))) return
  await run([at('dist/cli.mjs'), 'template', folder])
}
