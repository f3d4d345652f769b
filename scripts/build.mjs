import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from './bundle.mjs'
import { at, run, say } from './runtime.mjs'

const { R_OK, W_OK, X_OK } = constants
const SHARED = ['package-lock.json', 'packages/contract/src', 'scripts/bundle.mjs']
const SERVER = [...SHARED, 'apps/server/src', 'apps/server/package.json']
const CONSOLE = [
  ...SHARED,
  'apps/console/src',
  'apps/console/build',
  'apps/console/public',
  ...['index', 'login', 'display', 'help', 'player', 'player-preview', 'player-package'].map(
    (page) => `apps/console/${page}.html`,
  ),
  'apps/console/vite.config.ts',
  'docs/help',
]

const PARTS = {
  server: {
    inputs: SERVER,
    entries: ['dist/server.mjs', 'dist/cli.mjs'],
    make: () => bundleServer(at('dist')),
  },
  console: { inputs: CONSOLE, entries: ['dist/console'], make: buildConsole },
}

/**
 * Builds outputs that are missing or older than their sources; builds all with `force`. An account that cannot write
 * `dist` uses the existing build, or is refused when the build is incomplete.
 */
export async function build({ force = false } = {}) {
  const stale = Object.keys(PARTS).filter((name) => force || isStale(name))
  if (stale.length === 0) return
  if (!canBuild()) return useExisting(stale, force)
  if (!existsSync(at('node_modules/esbuild'))) throw new Error('缺少构建工具，请先运行 npm ci（不要加 --omit=dev）')
  await Promise.all(stale.map(make))
}

function useExisting(stale, force) {
  const missing = stale.filter((name) => !isBuilt(name))
  const remedy = '请由程序文件的属主运行 npm run build'
  if (force) throw new Error(`当前账号不能写 ${at('dist')}，无法构建；${remedy}`)
  if (missing.length > 0)
    throw new Error(`${missing.join('、')} 没有可以使用的构建，当前账号又不能写 ${at('dist')}；${remedy}`)
  say(`${stale.join('、')} 的构建早于源文件，当前账号不能写 ${at('dist')}，照旧使用这个构建；要更新，${remedy}`)
}

async function make(name) {
  const { inputs, make: makePart } = PARTS[name]
  const started = Date.now()
  const stamp = newest(inputs)
  say(`正在构建 ${name}，可能需要几分钟…`)
  // An interrupted build leaves no marker, so that no later start takes the incomplete output for a build.
  rmSync(markerOf(name), { force: true })
  await makePart()
  writeFileSync(markerOf(name), String(stamp))
  if (name === 'server') await keepTemplate()
  say(`已构建 ${name}（${((Date.now() - started) / 1000).toFixed(1)} 秒）`)
}

const markerOf = (name) => at('dist', `.${name}`)

/** Returns true when a complete build exists that the current account can read. */
function isBuilt(name) {
  return [markerOf(name), ...PARTS[name].entries.map((entry) => at(entry))].every((path) => isAllowed(path, R_OK))
}

/** A release without sources or build tools uses its existing outputs. */
export function isStale(name) {
  if (!isBuilt(name)) return true
  if (!existsSync(at('apps/server/src')) || !existsSync(at('node_modules/esbuild'))) return false
  return newest(PARTS[name].inputs) > Number(readFileSync(markerOf(name), 'utf8'))
}

/** Returns true when the terminal commands run from the bundle: like the server, also from an older one. */
export const usesBundle = () => isBuilt('server') && (!isStale('server') || !canBuild())

/** Returns true when the current account can write `dist` and everything in it. */
function canBuild() {
  const dist = at('dist')
  if (!existsSync(dist)) return isAllowed(at(), W_OK)
  if (!isAllowed(dist, R_OK | W_OK | X_OK)) return false
  return readdirSync(dist, { recursive: true }).every((path) => isAllowed(join(dist, path), W_OK))
}

function isAllowed(path, mode) {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Includes directories: their time changes when a file is added or removed. */
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

/** Optional: speeds up the first start. A machine without bundled PostgreSQL builds without this step. */
async function keepTemplate() {
  const folder = at('.cache')
  if (process.env.DATABASE_URL || !existsSync(at('dist/cli.mjs'))) return
  if (!isAllowed(existsSync(folder) ? folder : at(), W_OK))
    return say(`当前账号不能写 ${folder}，未准备内置数据库的模板，首次启动会慢一些`)
  say('正在准备内置数据库的模板…')
  await run([at('dist/cli.mjs'), 'template', folder])
}
